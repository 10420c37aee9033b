"""Write the report as one HTML file that loads nothing from elsewhere and never interprets a document's text as markup.
Every text is escaped, by `_t` or by the modules that draw. The Content Security Policy allows only the file's own style and script."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from itertools import groupby
from typing import Any, Final

from msgspec import Struct, field

from pdfmill.pipeline.crawl.report import history_picture, listable
from pdfmill.pipeline.render.picture import COLORS
from pdfmill.pipeline.report.gather import Gathered, ListedDocument, Sample
from pdfmill.pipeline.run.summary import RunFile, size_text
from pdfmill.schemas.codes import ERROR_CODES, STATUSES, WARNING_CODES
from pdfmill.schemas.public import as_message, printable

#: Most bytes of all drawings together.
DRAWN_BYTES: Final = 400_000
#: Most runs of a crawl in the history and its picture.
_RUNS: Final = 50


class Page(Struct, frozen=True):
    """The data of a report. found: content from the tables. run: record of the run of `pdfmill index`, if there is one. history: reports of
    a crawl's runs, oldest first. unfinished: sentences on what an interrupted run has left. made: time of the report."""

    output: str  # the output folder, as the user gave it
    found: Gathered
    run: RunFile | None = None
    history: Sequence[Mapping[str, Any]] = ()
    unfinished: Sequence[str] = ()
    made: datetime = field(default_factory=lambda: datetime.now(UTC))


def report_html(page: Page) -> str:
    """Return the content of the HTML file."""
    style, script = _file("report.css"), _file("report.js")
    policy = f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; base-uri 'none'; form-action 'none'"
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">',
        f"<title>pdfmill: {_t(page.output)}</title><style>{style}</style></head><body><main>",
        *_head(page),
        *_statuses(page.found),
        *_failures(page.found),
        *_needs(page.found),
        *_sizes(page),
        *_samples(page.found),
        *_history(page.history),
        f"</main><script>{script}</script></body></html>\n",
    ]
    return "\n".join(parts)


def _file(name: str) -> str:
    return files("pdfmill.pipeline.report").joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _t(text: object) -> str:
    """Escape a text for HTML; control and bidirectional override characters are replaced by their codes."""
    return escape(as_message(str(text)))


def _head(page: Page) -> Iterator[str]:
    found, summed, run, last = page.found, page.found.summary, page.run, (page.history[-1] if page.history else None)
    yield f"<header><h1>Report on the documents</h1><p class=where>{_t(page.output)}</p>"
    if run is not None:
        yield f"<p class=aside>Run of {_t(run.started)} by pdfmill {_t(run.version)} on {_t(run.runner)}, "
        yield f"from <span class=uri>{_t(' '.join(run.sources))}</span></p>"
    if last is not None:
        yield f"<p class=aside>Crawl: {len(page.history):,} runs, the last of {_t(last['started'])} by pdfmill {_t(last['pdfmill'])}</p>"
    yield f"<p class=aside>This page is of {page.made:%Y-%m-%d %H:%M} UTC.</p></header>"
    yield from (f"<p class=notice>{_t(line)}</p>" for line in page.unfinished)
    seconds = run.seconds if run is not None else sum(last["seconds"].values()) if last is not None else 0.0
    read = summed.pages if run is not None else last["pages"] if last is not None else 0
    tiles = [
        ("documents", f"{summed.documents:,}", f"and {summed.embedded:,} embedded in them" if summed.embedded else ""),
        ("pages", f"{summed.pages:,}", f"{found.characters:,} characters"),
        ("of sources", size_text(summed.source_bytes), ""),
        ("pages a second", f"{read / seconds:,.1f}" if seconds else "not known", f"in {seconds:,.1f} s" if seconds else ""),
        ("not whole", f"{summed.bad:,}", "documents"),
        ("need OCR", f"{found.ocr_pages:,}", "pages"),
        ("untrusted text", f"{found.untrusted_pages:,}", "pages"),
    ]
    yield "<dl class=tiles>"
    yield from (f"<div><dt>{name}</dt><dd>{value}<small>{more}</small></dd></div>" for name, value, more in tiles)
    yield "</dl>"


def _statuses(found: Gathered) -> Iterator[str]:
    yield "<section><h2>Status and reasons</h2>"
    yield from _counted("status", found.summary.statuses, STATUSES)
    yield "<h3>Why documents could not be read completely</h3>" if found.summary.reasons else ""
    yield from _counted("reason", found.summary.reasons, ERROR_CODES)
    yield "<h3>Warnings: repairs and losses</h3>" if found.summary.warnings else ""
    yield from _counted("warning", found.summary.warnings, {**ERROR_CODES, **WARNING_CODES}, counted="times")
    yield "</section>"


def _counted(name: str, counts: Counter[str], sentences: Mapping[str, str], *, counted: str = "documents") -> Iterator[str]:
    """Yield an HTML table of counts, the largest first, each with a bar and an explanation (`sentences`). name, counted: column headers."""
    if not counts:
        return
    most = max(counts.values())
    meaning = "<th>meaning</th>" if sentences else ""
    yield f"<table><thead><tr><th>{name}</th><th class=number>{counted}</th><th class=bar></th>{meaning}</tr></thead><tbody>"
    for code, count in counts.most_common():
        shown = f'<button type=button data-code="{_t(code)}">{_t(code)}</button>' if name == "reason" else f"<code>{_t(code)}</code>"
        yield f"<tr><td class=code>{shown}</td><td class=number>{count:,}</td><td class=bar>{_bar(count / most)}</td>"
        yield f"<td>{_sentence(sentences.get(code, ''))}</td></tr>" if sentences else "</tr>"
    yield "</tbody></table>"


def _sentence(text: str) -> str:
    """Convert one of our own sentences to HTML; text between backticks becomes code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", _t(text))


def _bar(share: float) -> str:
    return f'<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width="{100 * share:.1f}" height="8"/></svg>'


def _failures(found: Gathered) -> Iterator[str]:
    if not found.failures:
        return
    codes = sorted({each.code or each.status for each in found.failures})
    yield "<section id=failures><h2>What failed</h2>"
    if found.summary.bad > len(found.failures):
        yield f"<p>The first {len(found.failures):,} of {found.summary.bad:,}; the table <code>documents</code> has all.</p>"
    yield (
        '<p class=tools><label>Reason <select id=code><option value="">all</option>'
        + "".join(f"<option>{_t(code)}</option>" for code in codes)
        + "</select></label> <label>Words <input id=words type=search></label> "
        "<button type=button id=copy>Copy as a list</button> <output id=copied></output></p>"
        "<p class=aside>The list has one address per line: <code>pdfmill index @list.txt --output DIR</code> reads them again.</p>"
    )
    yield "<table id=failed><thead><tr><th>reason</th><th>document</th><th>message</th></tr></thead><tbody>"
    for each in found.failures:
        code = each.code or each.status
        yield f'<tr data-code="{_t(code)}" data-source="{_t(listable(each.uri))}"><td class=code><code>{_t(code)}</code></td>'
        yield f"<td class=uri>{_t(each.uri)}</td><td>{_t(each.message.removeprefix(f'{each.uri}: '))}</td></tr>"
    yield "</tbody></table><textarea id=list readonly hidden rows=12></textarea></section>"


def _needs(found: Gathered) -> Iterator[str]:
    yield "<section><h2>Languages</h2>"
    yield from _counted("language", found.languages, {})
    yield "</section>"
    yield "<section><h2>Pages that need OCR, and untrusted text</h2>"
    if not found.ocr_pages and not found.untrusted_pages:
        yield "<p>Every page has a text layer, and fonts with reliable Unicode values.</p>"
    for name, documents, pages in (
        ("Pages that need OCR", found.ocr, found.ocr_pages),
        ("Pages with untrusted text: the Unicode values of their fonts are unreliable", found.untrusted, found.untrusted_pages),
    ):
        if documents:
            yield f"<h3>{name}: {pages:,}</h3>"
            yield from _documents(documents, ("pages", lambda document: f"{document.wanting:,} of {document.pages:,}"))
    yield "</section>"


def _documents(documents: Iterable[ListedDocument], *columns: tuple[str, Any]) -> Iterator[str]:
    yield "<table><thead><tr><th>document</th>" + "".join(f"<th class=number>{name}</th>" for name, _ in columns) + "</tr></thead><tbody>"
    for document in documents:
        numbers = "".join(f"<td class=number>{_t(of(document))}</td>" for _, of in columns)
        yield f"<tr><td>{_named(document.uri, document.title)}</td>{numbers}</tr>"
    yield "</tbody></table>"


def _named(uri: str, title: str | None) -> str:
    return f"{_t(title)}<br><span class=uri>{_t(uri)}</span>" if title else f"<span class=uri>{_t(uri)}</span>"


def _sizes(page: Page) -> Iterator[str]:
    found = page.found
    yield "<section><h2>Sizes</h2><div class=pair>"
    yield from _powers("pages", found.pages_by, lambda count: f"{count:,}")
    yield from _powers("bytes", found.bytes_by, size_text)
    yield "</div><h3>The largest</h3>"
    yield from _documents((document for document in found.largest if document.size), ("size", lambda document: size_text(document.size)))
    yield "<h3>Those with the most pages</h3>"
    yield from _documents((document for document in found.longest if document.pages), ("pages", lambda document: f"{document.pages:,}"))
    yield "<h3>The slowest</h3>"
    if page.run is not None and page.run.slowest:
        yield "<table><thead><tr><th>document</th><th class=number>seconds</th></tr></thead><tbody>"
        for each in page.run.slowest:
            yield f"<tr><td class=uri>{_t(each['source_uri'])}</td><td class=number>{float(each['seconds']):,.1f}</td></tr>"
        yield "</tbody></table>"
    else:
        yield "<p>Only a run of <code>pdfmill index</code> on one machine records how long each document took.</p>"
    yield "</section>"


def _powers(name: str, counts: Counter[int], shown: Any) -> Iterator[str]:
    """Yield an HTML table of the numbers of documents by power of ten of their size; -1 is size zero. shown: formats a power. name:
    header."""
    if not counts:
        return
    most = max(counts.values())
    yield f"<div><h3>By {name}</h3><table><thead><tr><th>{name}</th><th class=number>documents</th><th class=bar></th></tr></thead><tbody>"
    for power in range(min(counts), max(counts) + 1):
        label = "none" if power < 0 else f"from {shown(10**power)}" if power else f"under {shown(10)}"
        yield f"<tr><td>{label}</td><td class=number>{counts[power]:,}</td><td class=bar>{_bar(counts[power] / most)}</td></tr>"
    yield "</tbody></table></div>"


def _samples(found: Gathered) -> Iterator[str]:
    if not found.samples:
        return
    yield "<section><h2>Some pages with their blocks</h2>"
    yield "<p class=aside>Drawn from the tables: words at their positions, and blocks in colours of their roles, named by the pointer.</p>"
    yield "<div class=samples>"
    left = DRAWN_BYTES
    for sample in found.samples:
        drawing = draw_sample(sample)
        if len(drawing) <= left:
            left -= len(drawing)
            label = _t(sample.page["label"] or sample.page["page"])
            yield f"<figure>{drawing}<figcaption>{_named(sample.uri, sample.title)}, page {label}</figcaption></figure>"
    yield "</div></section>"


def _history(reports: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not reports:
        return
    shown = reports[-_RUNS:]
    yield f"<section><h2>History of the crawl</h2><div class=wide>{history_picture(shown)}</div>"
    yield "<table><thead><tr><th>run</th><th>outcome</th><th class=number>snapshot</th><th class=number>listed</th><th>planned</th>"
    yield "<th>read</th><th class=number>new failures</th><th class=number>seconds</th></tr></thead><tbody>"
    for each in reversed(shown):
        yield f"<tr><td>{_t(each['started'])}</td><td>{_t(each['outcome'])}</td><td class=number>{_t(each['version'])}</td>"
        yield f"<td class=number>{_t(each['listed'])}</td><td>{_pairs(each['plan'])}</td><td>{_pairs(each['statuses'])}</td>"
        yield f"<td class=number>{_t(each['failed_new'])}</td><td class=number>{sum(each['seconds'].values()):,.1f}</td></tr>"
    yield "</tbody></table></section>"


def _pairs(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{_t(name)} {count:,}" for name, count in counts.items()) or "nothing"


#: Most bytes of one drawing: enough for a page of a book with all its words. From a larger drawing words are left out first, then blocks.
MAX_BYTES: Final = 60_000
#: Font size of a word as a fraction of the height of its box.
_LETTERS: Final = 0.78
#: A word counts as turned if its box is higher than `_TURNED` times its width plus `_LARGE` points; a single "I" in a title is not.
_TURNED: Final = 4.0
_LARGE: Final = 40.0
#: Most characters of a block's text in its label.
_LABELLED: Final = 80


def draw_sample(sample: Sample) -> str:
    """Return the drawing of a page as SVG. If it would exceed `MAX_BYTES`, all words are left out, and then as many blocks as necessary."""
    width, height = _number(sample.page["width"] or 1.0), _number(sample.page["height"] or 1.0)
    words = "".join(_words(sample.page))
    blocks = "".join(_blocks(sample.blocks))
    shown = words if len(words) + len(blocks) <= MAX_BYTES else ""
    drawn = blocks if len(blocks) <= MAX_BYTES else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="page with its blocks">'
        f'<rect class="paper" width="{width}" height="{height}"/><g class="words">{shown}</g>{drawn}</svg>'
    )


def _words(page: dict[str, Any]) -> Iterator[str]:
    """Yield the words as SVG text elements; consecutive words of one size are grouped, so that the size is written once."""
    text = page["text"] or ""
    for size, words in groupby(filter(_upright, page["words"] or ()), key=lambda word: _number(_LETTERS * (word["bottom"] - word["top"]))):
        yield f'<g font-size="{size}">'
        for word in words:
            baseline = word["top"] + _LETTERS * (word["bottom"] - word["top"])
            place = f'x="{_number(word["x0"])}" y="{_number(baseline)}" textLength="{_number(word["x1"] - word["x0"])}"'
            yield f"<text {place}>{_text(text[word['start'] : word['end']])}</text>"
        yield "</g>"


def _upright(word: dict[str, Any]) -> bool:
    width, height = word["x1"] - word["x0"], word["bottom"] - word["top"]
    return bool(width > 0 and 0 < height <= _TURNED * width + _LARGE)


def _blocks(blocks: list[dict[str, Any]]) -> Iterator[str]:
    for block in blocks:
        color = "#" + "".join(f"{part:02x}" for part in COLORS[block["role"]])
        level = f" {block['level']}" if block["level"] else ""
        label = f"{block['role']}{level}: {block['text'][:_LABELLED]}"
        for box in block["boxes"] or ():
            yield (
                f'<rect x="{_number(box["x0"])}" y="{_number(box["top"])}" width="{_number(max(0.0, box["x1"] - box["x0"]))}" '
                f'height="{_number(max(0.0, box["bottom"] - box["top"]))}" fill="{color}" fill-opacity=".12" stroke="{color}">'
                f"<title>{_text(label)}</title></rect>"
            )


def _number(value: float) -> str:
    return f"{value:.1f}"


def _text(text: str) -> str:
    return escape(printable(text))
