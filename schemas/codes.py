"""The codes for statuses, errors, warnings and roles of blocks, each with an explanation.

Users filter tables by these codes. So a code never changes its meaning, and the code of a removed outcome is never reused.
"""

from __future__ import annotations

from typing import Final

#: The values of `documents.status` and `pages.status`.
STATUSES: Final[dict[str, str]] = {
    "ok": "Everything the input holds was read.",
    "partial": "Something could not be read; what could be is there, and `warnings` name the rest.",
    "encrypted": "The document needs a password or a security handler that pdfmill does not have.",
    "failed": "Nothing could be read; `error_code` says why.",
    "not_pdf": "The bytes are not a PDF; the message says what they look like.",
}

#: The values of `documents.error_code` and `pages.error_code`.
ERROR_CODES: Final[dict[str, str]] = {
    "not_found": "The store has no object at this address.",
    "no_such_bucket": "The bucket does not exist.",
    "permission_denied": "The store refused access with the credentials at hand.",
    "archived": "The store keeps the object in an archive class: it must be restored before it can be read.",
    "changed": "The object changed between listing and reading.",
    "store_error": "The store failed or could not be reached, also after retries.",
    "bad_source": "The source specification cannot be understood.",
    "empty": "The object has no bytes.",
    "not_pdf": "The bytes are not a PDF.",
    "password_needed": "A password is needed and no candidate fits.",
    "unsupported_security": "The security handler (public key, or unknown) is not supported.",
    "damaged": "No engine could open the document.",
    "no_pages": "The document opened but has no page that can be reached.",
    "page_unreadable": "The page could not be loaded or read.",
    "content_missing": "The page's content is not in the file, which was cut off or overwritten.",
    "content_incomplete": "Part of a page's content is not in the file, which was cut off or overwritten.",
    "too_large": "A limit on size, pages, glyphs or depth was reached.",
    "timed_out": "Reading took longer than the limit.",
    "out_of_memory": "Reading needed more memory than the limit.",
    "crashed": "The native parser crashed on it.",
    "sections_missing": "The sections of a book could not be made; its pages and blocks are there.",
    "lines_unplaced": "Lines of a page fit nowhere in its structure; they stand in blocks of role `other`. "
    "Please report it with the document.",
    "internal": "An error inside pdfmill: please report it with the document.",
}

#: The values of `documents.warnings.code`, besides the error codes of single pages. `facts_X` means that the facts named X could not be
#: read.
WARNING_CODES: Final[dict[str, str]] = {
    "header_missing": "No PDF signature stands at the beginning of the file.",
    "header_offset": "Bytes stand before the PDF signature.",
    "header_invalid": "The PDF signature names no version, or one that does not exist.",
    "ocr_failed": "OCR was asked for and the page could not be recognised; its text is as it was.",
    "repaired_object": "The cross-reference table or an object was damaged and has been repaired.",
    "repaired_structure": "The file was rebuilt by the other engine because one could not read it, or read less of it.",
    "repaired_page_tree": "The page tree was lost; a new one was made of the pages found.",
    "repaired_page": "Pages lack what they must have (a media box, resources, their type); what readers take instead was taken.",
    "no_pages": "The document has no pages.",
    "facts_objects": "The object tree could not be read; only the pages are there.",
    "attachment_unreadable": "An attachment could not be read.",
    "attachment_loop": "An attached PDF holds itself; it was read once.",
    "annotation_unreadable": "An annotation could not be read.",
    "annotations_unreadable": "The annotations of a page, or the text of their appearances, could not be read.",
    "page_facts_unreadable": "A page's label and boxes could not be read.",
    "image_unreadable": "An image could not be read or exported.",
    "image_boxes_unreadable": "Where the images of a page stand could not be read.",
    "second_engine": "The text of a page was read by the second engine because the first gave none, or too little.",
    "page_unmeasured": "A page could not be measured: the styles of body text and headings were decided without it. "
    "Please report it with the document.",
    "looks_undecided": "Which words of a scanned page are bold or large could not be decided: its headings may be missing. "
    "Please report it with the document.",
    "text_evidence_unreadable": "The fonts of a page could not be asked for more evidence on its characters.",
}

#: The values of `blocks.role`.
ROLES: Final[dict[str, str]] = {
    "title": "The document's title, on its first pages.",
    "heading": "A heading; `level` counts from 1.",
    "paragraph": "Running text; a line feed in it is a line end of its author, as in verse and addresses.",
    "list_item": "One item of a list, its bullet or number included; `level` is the nesting depth from 1.",
    "table": "A table; `html` holds its rows and cells.",
    "caption": "The caption of a figure or table.",
    "footnote": "A note at the foot of a column or page.",
    "code": "Program text or other preformatted lines; line breaks kept.",
    "formula": "A displayed formula, its number included.",
    "contents": "Entries of a table of contents, or of a list of figures or tables; line breaks kept.",
    "index": "Entries of an index; line breaks kept.",
    "reference": "An entry of a list of references.",
    "page_header": "Furniture: a running head.",
    "page_footer": "Furniture: a running foot.",
    "page_number": "Furniture: the page's own number.",
    "page_margin": "Furniture: line numbers, and turned or large text at one place of many pages, as watermarks are.",
    "other": "Text with no role of the above (diagram labels, side notes).",
}

#: The values of `sections.kind`.
SECTION_KINDS: Final[dict[str, str]] = {
    "text": "Running text, with its lists, notes, formulas and short listings.",
    "table": "A table with its caption, or a part of one.",
    "code": "Program text or other preformatted lines.",
    "contents": "Entries of a table of contents, of a list of figures or tables, or of an index.",
    "references": "Entries of a list of references.",
}

#: Roles of blocks that only point to other parts of the document. A search hit in them is worth less than one in the text.
POINTER_ROLES: Final = frozenset({"contents", "index", "reference"})

#: Roles of blocks that repeat from page to page. `pages.text` leaves them out unless the job asks for them.
FURNITURE_ROLES: Final = frozenset({"page_header", "page_footer", "page_number", "page_margin"})
