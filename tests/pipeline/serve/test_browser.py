"""`pdfmill serve` as it is started by hand, in a real browser."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Locator, Page, Request, expect

from pdfmill.pipeline.serve.library import Library
from tests.pipeline.serve.shelf import EVIL_NAME, Shelf
from tests.pipeline.serve.started import started

pytestmark = pytest.mark.servers

#: A highlighter's ink (`.match` in pdfmill.css, #ffe14d and #ffab3d) over paper or grey edges of letters: so much less blue than red.
INK_BLUE_TO_RED = 0.45
#: Letters under it are darker than this in every colour, also small ones.
LETTER = 140


@pytest.fixture(scope="module")
def address(shelf: Shelf) -> Iterator[str]:
    """Where the command says that it is."""
    with started(shelf.output) as found:
        yield found


@dataclass
class Watched:
    """What a page did that it should not: words on the console, errors, dialogs, requests elsewhere."""

    address: str
    seen: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.seen.append(f"error: {error}"))
        page.on("dialog", self._dialog)
        page.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        self.seen.append(f"{message.type}: {message.text}")

    def _dialog(self, dialog: Dialog) -> None:
        self.seen.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Request) -> None:
        if not request.url.startswith(self.address + "/"):
            self.seen.append(f"request: {request.url}")


@contextmanager
def a_page(browser: Browser, address: str, width: int = 1280, **more: object) -> Iterator[Page]:
    """A page in a browser that knows nothing yet; whatever it does wrong fails the test."""
    context: BrowserContext = browser.new_context(base_url=address, viewport={"width": width, "height": 900}, **more)  # type: ignore[arg-type]
    page = context.new_page()
    watched = Watched(address)
    watched.watch(page)
    yield page
    context.close()
    assert watched.seen == []


def pixels(target: Locator | Page) -> NDArray[np.uint8]:
    return np.asarray(Image.open(io.BytesIO(target.screenshot(animations="disabled"))).convert("RGB"))


def is_ink(picture: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Where a picture is marked."""
    red, blue = picture[:, :, 0].astype(float), picture[:, :, 2].astype(float)
    return (red > 60) & (blue < INK_BLUE_TO_RED * red)


def drawn(page: Page) -> None:
    """Wait until the pictures are there."""
    page.wait_for_load_state("networkidle")
    page.wait_for_function("[...document.images].every(image => image.loading === 'lazy' || image.complete && image.naturalWidth > 0)")


def assert_marked(page: Page, shelf: Shelf, name: str, number: int, word: str) -> None:
    """On the picture of the page exactly these words of the tables are marked, by pixels, and their letters are still black."""
    row = Library(shelf.output).rows("pages", shelf.ids[name], ["text", "words", "width", "height"], frozenset({number}))[0]
    text = str(row["text"])
    boxes = [
        (each["x0"], each["top"], each["x1"], each["bottom"])
        for each in row["words"]  # type: ignore[attr-defined]
        if re.search(rf"\b{word}\b", text[each["start"] : each["end"]], re.IGNORECASE)
    ]
    assert boxes, "the page has the word"
    picture = pixels(page.locator(".sheet"))
    ink = is_ink(picture)
    scale = picture.shape[1] / float(row["width"])  # type: ignore[arg-type]
    inside = np.zeros_like(ink)
    for x0, top, x1, bottom in boxes:
        rows, columns = slice(int(top * scale), int(bottom * scale) + 1), slice(int(x0 * scale), int(x1 * scale) + 1)
        inside[rows, columns] = True
        found = ink[rows, columns]
        assert found.mean() > 0.5, f"marked at {x0, top}: {found.mean():.2f}"
        assert found[:, 2:-2].any(axis=0).all(), "from the first letter to the last"
        assert (picture[rows, columns].max(axis=2) < LETTER).any(), "the letters show through"
    grown = inside
    for axis in (0, 1):  # edges of a mark, drawn between pixels
        grown = np.logical_or.reduce([np.roll(grown, shift, axis) for shift in range(-2, 3)])
    assert not (ink & ~grown).any(), "nothing else is marked"


def test_from_a_query_to_its_words_on_the_page(browser: Browser, address: str, shelf: Shelf) -> None:
    with a_page(browser, address) as page:
        page.goto("/")
        page.get_by_label("Search all documents").fill("warehouse")
        page.get_by_role("button", name="Search").click()
        hit = page.locator(".hit").first
        expect(hit.locator(".snippet mark").first).to_have_text("warehouse")
        drawn(page)
        assert is_ink(pixels(hit.locator(".strip"))).sum() > 200, "the strip shows the mark"
        hit.get_by_role("link", name="Finding a Sentence Again").click()
        drawn(page)
        expect(page.locator("rect.match")).to_have_count(1)
        expect(page.locator(".text mark")).to_have_text(["warehouse"])
        assert_marked(page, shelf, "paper.pdf", 1, "warehouse")


@pytest.mark.parametrize("width", [1280, 700, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_stand_on_the_words_at_any_size(browser: Browser, address: str, shelf: Shelf, width: int, scheme: str) -> None:
    with a_page(browser, address, width, color_scheme=scheme, device_scale_factor=2 if width == 400 else 1) as page:
        for name, number, word in (("report.pdf", 3, "boxes"), ("paper.pdf", 1, "pages")):
            page.goto(f"/document/{shelf.ids[name]}/page/{number}?q=%22{word}%22")  # quoted: no other forms of it
            drawn(page)
            assert_marked(page, shelf, name, number, word)


def test_next_and_previous_match(browser: Browser, address: str, shelf: Shelf) -> None:
    with a_page(browser, address) as page:
        page.goto(f"/document/{shelf.ids['report.pdf']}/page/1?q=archive")
        count = int(re.search(r"of (\d+)", page.locator("#matches").inner_text())[1])  # type: ignore[index]
        assert count >= 3
        for number in range(2, count + 1):
            page.get_by_label("Next match").click()
            expect(page.locator("#matches b")).to_have_text(str(number))
            expect(page.locator("rect.match.current")).to_be_in_viewport()
        expect(page.get_by_label("Next match")).to_have_count(0)
        page.get_by_label("Previous match").click()
        expect(page.locator("#matches b")).to_have_text(str(count - 1))


def test_the_outline_leads_to_pages(browser: Browser, address: str, shelf: Shelf) -> None:
    with a_page(browser, address) as page:
        page.goto(f"/document/{shelf.ids['report.pdf']}")
        page.get_by_role("navigation", name="Outline").get_by_role("link", name="3.2 How long they wait").click()
        assert page.url.endswith("/page/5")
        expect(page.get_by_role("heading", name="3.2 How long they wait")).to_be_visible()
        page.get_by_role("navigation", name="Outline").get_by_role("link", name="4 Plans").click()
        assert page.url.endswith("/page/6")


def test_a_hostile_document_does_nothing(browser: Browser, address: str, shelf: Shelf) -> None:
    """No script, dialog, request elsewhere or word on the console (`a_page`), and its name, title and text are text."""
    doc_id = shelf.ids[EVIL_NAME]
    with a_page(browser, address) as page:
        parts = ["", "?q=lighthouse", "/page/1?q=ledger", "/page/1?structure=1", "/tables", "/facts", "/files"]
        for path in ["/?q=lighthouse", "/documents", *(f"/document/{doc_id}{part}" for part in parts)]:
            page.goto(path)
            drawn(page)
            assert page.evaluate("document.documentElement.dataset.owned") is None
            assert not page.title().startswith("owned")
            assert page.locator("main img").count() == page.locator(".sheet img, .small-picture img").count()
            assert page.locator("main script, main iframe, main object, main embed").count() == 0
            leads = page.evaluate("[...document.links].map(link => link.href)")
            assert all(link.startswith(address) for link in leads)
        page.goto(f"/document/{doc_id}/page/1?q=ledger")
        expect(page.locator(".text")).to_contain_text("<img src=x onerror=alert(3)>")
        page.goto(f"/document/{doc_id}/files")
        with page.expect_download() as download:
            page.get_by_role("link", name="Download").first.click()
        assert "/" not in download.value.suggested_filename
        assert page.url.endswith("/files"), "it is kept, not shown"


def test_by_keys_alone(browser: Browser, address: str, shelf: Shelf) -> None:
    with a_page(browser, address) as page:
        page.goto("/documents")
        page.keyboard.press("/")
        page.keyboard.type("archive")
        page.keyboard.press("Enter")
        page.wait_for_url("**/?q=archive")
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("k")
        focused = page.evaluate("document.activeElement.getAttribute('href')")
        assert focused == page.locator(".hit .to").first.get_attribute("href")
        page.keyboard.press("Enter")
        page.wait_for_url("**/document/**")
        drawn(page)
        for key, sign in (("s", "structure=1"), ("n", "match=2"), ("p", "match=1")):
            page.keyboard.press(key)
            page.wait_for_url(f"**{sign}**")
        page.goto(f"/document/{shelf.ids['report.pdf']}/page/2")
        page.keyboard.press("ArrowRight")
        page.wait_for_url("**/page/3")
        page.keyboard.press("ArrowLeft")
        page.wait_for_url("**/page/2")
        page.keyboard.press("g")
        page.keyboard.type("5")
        page.keyboard.press("Enter")
        page.wait_for_url("**/page/5")
        page.keyboard.press("f")
        page.keyboard.type("questions")
        page.keyboard.press("Enter")
        page.wait_for_url("**?q=questions")
        page.keyboard.press("?")
        page.wait_for_url("**/help")


def test_tab_reaches_everything_and_shows_where_it_is(browser: Browser, address: str, shelf: Shelf) -> None:
    with a_page(browser, address) as page:
        page.goto(f"/document/{shelf.ids['report.pdf']}/page/3?q=archive")
        drawn(page)
        wanted = page.evaluate("[...document.querySelectorAll('a[href]:not([hidden]), button, input:not([type=hidden]), summary')].length")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to content")).to_be_in_viewport()
        reached = set()
        for step in range(wanted + 5):
            place, outline = page.evaluate(
                """() => {
                  const here = document.activeElement;
                  if (here === document.body) return [-1, ""];
                  return [[...document.querySelectorAll("*")].indexOf(here), getComputedStyle(here).outlineStyle];
                }"""
            )
            if place < 0 or place in reached:
                break
            reached.add(place)
            assert outline != "none", step
            page.keyboard.press("Tab")
        assert len(reached) >= wanted


def test_400_pixels_wide(browser: Browser, address: str, shelf: Shelf) -> None:
    start = f"/document/{shelf.ids['report.pdf']}"
    with a_page(browser, address, 400) as page:
        parts = ["", "?q=archive", "/page/4?q=boxes", "/page/4?structure=1", "/tables", "/facts", "/files"]
        paths = ["/", "/?q=archive", "/documents", "/help", *(start + part for part in parts), f"/document/{shelf.ids[EVIL_NAME]}/page/1"]
        for path in paths:
            page.goto(path)
            drawn(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= 400, path
            small = page.evaluate(
                """() => [...document.querySelectorAll("input, button, .button")]
                  .filter(each => each.checkVisibility() && each.type !== "hidden" && each.getBoundingClientRect().height < 24).length"""
            )
            assert small == 0, path


def test_it_works_without_javascript(browser: Browser, address: str, shelf: Shelf) -> None:
    with a_page(browser, address, java_script_enabled=False) as page:
        page.goto("/")
        page.get_by_label("Search all documents").fill("archive")
        page.get_by_role("button", name="Search").click()
        page.locator(".hit .to").first.click()
        expect(page.locator("rect.match").first).to_be_attached()
        page.get_by_role("link", name="Structure").click()
        expect(page.locator(".legend")).to_be_visible()


def test_a_selection_becomes_a_link(browser: Browser, address: str, shelf: Shelf) -> None:
    with a_page(browser, address) as page:
        page.goto(f"/document/{shelf.ids['report.pdf']}/page/3?q=boxes")
        drawn(page)
        page.evaluate(
            """() => {
              const block = [...document.querySelectorAll("[data-start]")].find(each => each.textContent.includes("Reading-room"));
              const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
              let node; while ((node = walker.nextNode()) && !node.data.includes("Reading-room"));
              const at = node.data.indexOf("Reading-room");
              document.getSelection().setBaseAndExtent(node, at, node, at + "Reading-room visits".length);
            }"""
        )
        page.get_by_role("link", name="Link to the selection").click()
        page.wait_for_url("**#passage-box")
        expect(page.locator(".text mark").filter(has_text="Reading-room visits")).to_have_count(1)
        expect(page.locator("rect.passage")).to_have_count(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_of_text(browser: Browser, address: str, shelf: Shelf, scheme: str) -> None:
    """WCAG 2.2, 1.4.3: 4.5 to 1 for text, against the nearest painted ground behind it."""
    with a_page(browser, address, color_scheme=scheme) as page:
        for path in ("/", "/?q=archive", "/documents", "/help", f"/document/{shelf.ids['report.pdf']}/page/4?q=boxes&structure=1"):
            page.goto(path)
            assert page.evaluate(_CONTRAST) == [], path


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (400, "light")])
def test_axe_finds_no_fault(browser: Browser, address: str, shelf: Shelf, width: int, scheme: str) -> None:
    """Deque's axe: WCAG 2 A and AA, and best practice, but that a page may begin below its document's first levels of headings."""
    from axe_playwright_python.sync_playwright import Axe

    start = f"/document/{shelf.ids['report.pdf']}"
    parts = ["", "?q=archive", "/page/4?q=boxes", "/page/4?structure=1", "/tables", "/facts", "/files"]
    listed = ["/documents", "/documents?name=report", "/documents?name=zzz", "/help"]
    with a_page(browser, address, width, color_scheme=scheme, bypass_csp=True) as page:
        for path in ["/", "/?q=archive", "/?q=zzqqx", "/?q=OR+b", *listed, *(start + part for part in parts)]:
            page.goto(path)
            found = Axe().run(page, options={"rules": {"heading-order": {"enabled": False}}})
            assert found.violations_count == 0, f"{path}: {found.generate_report()}"


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_a_reader_walks_from_search_to_the_sentence_and_back(browser: Browser, address: str, width: int, scheme: str) -> None:
    with a_page(browser, address, width, color_scheme=scheme, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.goto("/?q=archive")
        page.locator(".hit .to").first.click()
        page.wait_for_url("**/page/**")
        drawn(page)
        sheet = page.locator(".sheet")
        before = sheet.bounding_box()
        page.get_by_role("button", name="Larger").click()
        after = sheet.bounding_box()
        assert before
        assert after
        assert after["width"] > 1.2 * before["width"]
        page.get_by_role("button", name="Fit").click()
        lines = page.locator(".words tspan")
        first, last = lines.nth(2), lines.nth(6)
        first.scroll_into_view_if_needed()
        ends = first.bounding_box(), last.bounding_box()
        assert ends[0]
        assert ends[1]
        page.mouse.move(ends[0]["x"] + 0.5, ends[0]["y"] + ends[0]["height"] / 2)
        page.mouse.down()
        page.mouse.move(ends[1]["x"] + ends[1]["width"] - 0.5, ends[1]["y"] + ends[1]["height"] / 2, steps=8)
        page.mouse.up()
        page.keyboard.press("Control+c")
        wanted = " ".join(lines.nth(number).text_content() or "" for number in range(2, 7))
        assert page.evaluate("navigator.clipboard.readText()").split() == wanted.split()
        page.get_by_label("Next match").click()
        page.wait_for_url("**match=2**")
        page.get_by_label("Previous match").click()
        page.wait_for_url("**match=1**")
        original = page.get_by_role("link", name="Original").get_attribute("href")
        assert original
        assert re.search(r"\?page=(\d+)#page=\1$", original)
        answer = page.request.get(original)
        assert (answer.headers["content-type"], answer.headers["content-disposition"]) == ("application/pdf", "inline")
        page.get_by_role("link", name="Results").click()
        page.wait_for_url("**/?q=archive")


_CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const part = (value) => value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const ground = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const color = rgba(getComputedStyle(each).backgroundColor);
      if (color[3] > 200) return color;
    }
    return [255, 255, 255, 255];
  };
  const left_out = "svg, .unseen, .off, [aria-hidden=true], .anchor";
  const bad = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility() || element.closest(left_out)) continue;
    const [one, other] = [light(rgba(getComputedStyle(element).color)), light(ground(element))].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < 4.5) bad.push(`${element.className || element.tagName}: ${ratio.toFixed(2)}`);
  }
  return bad;
}"""
