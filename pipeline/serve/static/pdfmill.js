// Keys, and links to a selection. Every key stands for a link or a field that is on the page; without this file all of them still work.
"use strict";

const isTyping = (target) => target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);

/** Focus the result after (1) or before (-1) the one that has the focus. */
function moveThroughResults(step) {
  const links = [...document.querySelectorAll(".hit .to, .inside .to, .list .to")];
  if (!links.length) return false;
  const here = links.indexOf(document.activeElement);
  const next = links[here < 0 ? (step > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, here + step))];
  next.focus();
  next.scrollIntoView({ block: "center" });
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (isTyping(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const scrolls = event.key.startsWith("Arrow") && event.target instanceof HTMLElement && event.target.closest(".scroll"); // the arrows move a wide table
  const field = [...document.querySelectorAll("[data-focus]")].find((each) => each.dataset.focus === event.key);
  const link = [...document.querySelectorAll("a[data-key], button[data-key]")].find((each) => each.dataset.key === event.key);
  if (field) {
    field.focus();
    field.select();
  } else if (link && !scrolls) {
    link.click();
  } else if (!(event.key === "j" && moveThroughResults(1)) && !(event.key === "k" && moveThroughResults(-1))) {
    return;
  }
  event.preventDefault();
});

/** Code points before a place in a block's text: offsets into a page's text count these. */
function offsetIn(block, node, offset) {
  const range = document.createRange();
  range.setStart(block, 0);
  range.setEnd(node, offset);
  return [...range.toString()].length;
}

/** The offset into the page's text of one end of the selection; null where that is not in a block of the text. */
function textOffset(node, offset) {
  const element = node instanceof Element ? node : node.parentElement;
  const block = element && element.closest("[data-start]");
  return block ? Number(block.dataset.start) + offsetIn(block, node, offset) : null;
}

function offerLink(share) {
  const selection = document.getSelection();
  const range = selection && selection.rangeCount && !selection.isCollapsed ? selection.getRangeAt(0) : null;
  const start = range && textOffset(range.startContainer, range.startOffset);
  const end = range && textOffset(range.endContainer, range.endOffset);
  share.hidden = start === null || end === null || end <= start;
  if (share.hidden) return;
  const address = new URL(share.dataset.page, location.href);
  address.searchParams.set("start", start);
  address.searchParams.set("end", end);
  address.hash = "passage-box";
  share.href = address.pathname + address.search + address.hash;
}

const share = document.getElementById("share");
if (share) document.addEventListener("selectionchange", () => offerLink(share));

/** Show the picture so many times as wide as its column; what is chosen holds for the next page too. */
function zoomTo(desk, share) {
  const zoom = Math.min(6, Math.max(0.2, share));
  sessionStorage.setItem("zoom", zoom);
  desk.style.setProperty("--zoom", zoom);
  const picture = desk.querySelector("img");
  picture.sizes = `${Math.round(desk.clientWidth * zoom)}px`;
}

const desk = document.querySelector(".desk");
if (desk) {
  const now = () => Number(sessionStorage.getItem("zoom")) || 1;
  const whole = () => Math.min(0.99, ((innerHeight - 120) * desk.querySelector("img").width) / desk.querySelector("img").height / desk.clientWidth);
  const steps = { "+": () => now() * 1.25, "-": () => now() / 1.25, 0: () => (now() === 1 ? whole() : 1) };
  document.getElementById("zoom").hidden = false;
  for (const button of document.querySelectorAll("#zoom button")) button.addEventListener("click", () => zoomTo(desk, steps[button.dataset.key]()));
  if (now() !== 1) zoomTo(desk, now());
}

// Of a link to matches or to a passage, the mark itself comes to the middle, also on a narrow screen.
addEventListener("load", () => {
  const wanted = /^#(match|passage)/.test(location.hash) && document.querySelector("rect.match.current, rect.passage");
  if (wanted) wanted.scrollIntoView({ block: "center", behavior: "instant" });
});
