"use strict";
// Filters the failures, and gives those that are shown as a list. Works on what stands in the page; asks nobody.
(() => {
  const code = document.getElementById("code");
  if (!code) return;
  const words = document.getElementById("words");
  const copied = document.getElementById("copied");
  const list = document.getElementById("list");
  const rows = [...document.querySelectorAll("#failed tbody tr")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const shown = () => rows.filter((row) => !row.hidden);
  const filter = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    rows.forEach((row, number) => {
      row.hidden = (code.value && row.dataset.code !== code.value) || !wanted.every((word) => texts[number].includes(word));
    });
    copied.textContent = `${shown().length} of ${rows.length}`;
    list.hidden = true;
  };
  code.addEventListener("change", filter);
  words.addEventListener("input", filter);
  for (const button of document.querySelectorAll("button[data-code]")) {
    button.addEventListener("click", () => {
      code.value = button.dataset.code;
      filter();
      document.getElementById("failures").scrollIntoView();
    });
  }
  document.getElementById("copy").addEventListener("click", async () => {
    const addresses = [...new Set(shown().map((row) => row.dataset.source))];
    list.value = addresses.map((address) => `${address}\n`).join("");
    list.hidden = false;
    list.select();
    try {
      await navigator.clipboard.writeText(list.value);
      copied.textContent = `${addresses.length} addresses copied`;
    } catch {
      copied.textContent = `${addresses.length} addresses, selected: copy them from here`; // a page of a file may not write there itself
    }
  });
})();
