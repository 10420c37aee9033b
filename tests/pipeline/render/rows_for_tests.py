"""Rows as the pipeline writes them, made by hand for the renderers."""

from pdfmill.pipeline.render.rows import DocumentRows


def document(*blocks, **columns):
    """A document whose blocks are (page, role, text, other columns)."""
    rows = DocumentRows({"doc_id": "d", "source_uri": "file:///x/report.pdf", "status": "ok", "page_count": 1, "extractor_version": "0"})
    rows.document.update(columns)
    texts: dict[int, str] = {}
    for number, (page, role, text, *more) in enumerate(blocks, start=1):
        before = texts.get(page, "")
        start = len(before) + 2 if before else 0
        texts[page] = f"{before}\n\n{text}" if before else text
        place = {"text_start": start, "text_end": start + len(text), "heading_path": [], "continues": False}
        rows.blocks.append({"doc_id": "d", "block": number, "page": page, "role": role, "text": text, **place, **(more[0] if more else {})})
    for page, text in texts.items():
        rows.pages.append(page_row(page, text))
    return rows


def page_row(page, text, **columns):
    """A page's row; every word 10 pt wide and high, the n-th at x = 20 n."""
    words, at = [], 0
    for number, word in enumerate(text.split()):
        at = text.index(word, at)
        words.append({"start": at, "end": at + len(word), "x0": 20.0 * number, "top": 0.0, "x1": 20.0 * number + 10, "bottom": 10.0})
        at += len(word)
    row = {"doc_id": "d", "page": page, "status": "ok", "text": text, "words": words, "annotations": [], "char_count": len(text)}
    return row | {"column_count": 1, "needs_ocr": False, "ocr": False} | columns


def link(first_word, last_word, **target):
    """A link annotation over these words, counted from 0."""
    return {"type": "Link", "x0": 20.0 * first_word, "top": 0.0, "x1": 20.0 * last_word + 10, "bottom": 10.0, **target}


TABLE = "<table><tr><th>City</th><th>A &amp; B</th></tr><tr><td>Riga|x</td><td>1</td></tr></table>"
SPANNED = '<table><tr><th colspan="3">both</th></tr><tr><td rowspan="9">a</td><td>b</td></tr><tr></tr><tr><td>c</td></tr></table>'


def everything():
    """One of each, with what breaks naive renderers."""
    rows = document(
        (1, "page_header", "Annual report", {"text_start": None, "text_end": None}),
        (1, "title", "Cats & <dogs>"),
        (1, "heading", "1 Page 2", {"level": 1}),
        (1, "paragraph", "See the manual here and <b>not</b> *there*. It is inter-", {"italic": True}),
        (1, "footnote", "1 A note."),
        (2, "paragraph", "rupted by a page.", {"continues": True}),
        (2, "heading", "Page 2", {"level": 2}),
        (2, "heading", "Page 2", {"level": 2}),
        (2, "list_item", "• milk", {"level": 2}),
        (2, "list_item", "1. eggs", {"level": 2}),
        (2, "list_item", "2. salt", {"level": 3}),
        (2, "list_item", "(a) own", {"level": 1}),
        (2, "caption", "Table 1: cities"),
        (2, "table", "City A & B Riga 1", {"html": TABLE}),
        (2, "table", "both a b c", {"html": SPANNED}),
        (2, "code", "if a < b:\n    print('```')"),
        (4, "other", "E = mc\x01²"),
        (4, "paragraph", "# no heading"),
        language="zh-cn",
        title="Cats & <dogs>",
        title_source="page",
        page_count=4,
    )
    rows.pages.insert(2, page_row(3, ""))
    rows.pages[0]["annotations"] = [
        link(9, 10, uri="https://e.org/a b[1]"),
        link(11, 11, uri="javascript:alert(1)"),
        link(12, 12, target_page=2),
    ]
    return rows
