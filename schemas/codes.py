"""The codes for statuses, errors, warnings and roles of blocks, each with an explanation, and the errors that have a code. A code never
changes its meaning, and is never reused."""

from __future__ import annotations

from typing import Final

from pdfmill.schemas.public import as_message
from pdfmill.schemas.records import Failure

#: The values of `documents.status` and `pages.status`.
STATUSES: Final[dict[str, str]] = {
    "ok": "The whole document was read.",
    "partial": "Something could not be read; `warnings` name it, and the rest is there.",
    "encrypted": "The document needs a password or a security handler that pdfmill does not have.",
    "failed": "Nothing could be read; `error_code` says why.",
    "not_pdf": "The file is not a PDF; the message says what its bytes look like.",
}

#: The values of `documents.error_code` and `pages.error_code`.
ERROR_CODES: Final[dict[str, str]] = {
    "not_found": "The store has no object at this address.",
    "no_such_bucket": "The bucket does not exist.",
    "permission_denied": "The store refused access with the given credentials.",
    "archived": "The object is in an archive storage class and must be restored before it can be read.",
    "changed": "The object changed between listing and reading.",
    "store_error": "The store failed or could not be reached, even after retries.",
    "bad_source": "The source is not given in a form that pdfmill understands.",
    "empty": "The object has no bytes.",
    "not_pdf": "The file is not a PDF.",
    "password_needed": "The document needs a password, and none of those given opens it.",
    "unsupported_security": "The security handler (public key, or unknown) is not supported.",
    "damaged": "The document is damaged so badly that no PDF library could open it.",
    "no_pages": "The document could be opened but has no pages.",
    "page_unreadable": "The page could not be loaded or read.",
    "content_missing": "The content of the page is missing, because the file was cut off or overwritten.",
    "content_incomplete": "Part of the page's content is missing, because the file was cut off or overwritten.",
    "too_large": "A limit on size, pages, glyphs or depth was reached.",
    "timed_out": "Reading took longer than the limit.",
    "out_of_memory": "Reading needed more memory than the limit.",
    "crashed": "The PDF library crashed while it read the document.",
    "sections_missing": "The sections of a long document could not be made; its pages and blocks are there.",
    "lines_unplaced": "Some lines of a page could not be assigned to its structure; they are in blocks with the role `other`. "
    "Please report it with the document.",
    "internal": "There was an error inside pdfmill. Please report it with the document.",
}

#: The values of `documents.warnings.code`, besides the error codes of single pages. `facts_X` means that the facts named X could not be
#: read.
WARNING_CODES: Final[dict[str, str]] = {
    "header_missing": "The file does not begin with a PDF signature.",
    "header_offset": "There are other bytes before the PDF signature.",
    "header_invalid": "The PDF signature states no version, or one that does not exist.",
    "ocr_failed": "OCR was requested but failed for this page; its text is that of the file.",
    "repaired_object": "The cross-reference table or an object was damaged and was repaired.",
    "repaired_structure": "The file was rebuilt by a second PDF library, because the first could not read it, or read less of it.",
    "repaired_page_tree": "The page tree was missing; a new one was made from the pages that were found.",
    "repaired_page": "Pages lack required entries (a media box, resources, their type); the values that PDF readers assume were used.",
    "no_pages": "The document has no pages.",
    "facts_objects": "The document's objects could not be read; only the text of its pages is there.",
    "attachment_unreadable": "An attachment could not be read.",
    "attachment_loop": "An attached PDF contains itself; it was read once.",
    "annotation_unreadable": "An annotation could not be read.",
    "annotations_unreadable": "The annotations of a page, or the text of their appearances, could not be read.",
    "page_facts_unreadable": "A page's label and boxes could not be read.",
    "image_unreadable": "An image could not be read or exported.",
    "image_boxes_unreadable": "The positions of a page's images could not be read.",
    "second_engine": "The text of a page was read by a second PDF library, because the first gave none, or too little.",
    "page_unmeasured": "The statistics of a page could not be computed; the styles of body text and headings were decided without it. "
    "Please report it with the document.",
    "looks_undecided": "It could not be decided which words of a scanned page are bold or large, so its headings may be missing. "
    "Please report it with the document.",
    "text_evidence_unreadable": "The fonts of a page could not be read to check the page's characters.",
}

#: The values of `blocks.role`.
ROLES: Final[dict[str, str]] = {
    "title": "The document's title, on its first pages.",
    "heading": "A heading; `level` counts from 1.",
    "paragraph": "Running text; a line feed in it is a line end that the author set, as in verse and addresses.",
    "list_item": "An item of a list, with its bullet or number; `level` is its nesting depth, from 1.",
    "table": "A table; `html` holds its rows and cells.",
    "caption": "The caption of a figure or table.",
    "footnote": "A note at the foot of a column or page.",
    "code": "Program text or other preformatted lines; line breaks are kept.",
    "formula": "A displayed formula, with its number.",
    "contents": "Entries of a table of contents, or of a list of figures or tables; line breaks are kept.",
    "index": "Entries of an index; line breaks are kept.",
    "reference": "An entry of a list of references.",
    "page_header": "A running head.",
    "page_footer": "A running foot.",
    "page_number": "The page's own number.",
    "page_margin": "Line numbers, or turned or large text at the same place on many pages, such as watermarks.",
    "other": "Text with none of these roles, such as labels of diagrams and side notes.",
}

#: The values of `sections.kind`.
SECTION_KINDS: Final[dict[str, str]] = {
    "text": "Running text, with its lists, notes, formulas and short listings.",
    "table": "A table with its caption, or a part of a table.",
    "code": "Program text or other preformatted lines.",
    "contents": "Entries of a table of contents, of a list of figures or tables, or of an index.",
    "references": "Entries of a list of references.",
}

#: Roles of blocks that only point to other parts of the document. A search hit in them is worth less than one in the text.
POINTER_ROLES: Final = frozenset({"contents", "index", "reference"})

#: Roles of blocks that repeat from page to page. `pages.text` leaves them out unless the job asks for them.
FURNITURE_ROLES: Final = frozenset({"page_header", "page_footer", "page_number", "page_margin"})


class CodedError(Exception):
    """An object or service is not available, for a reason that has a code.

    code: a key of `pdfmill.schemas.codes.ERROR_CODES`. message: a text that names the object and the reason, and contains no secrets
    (`pdfmill.schemas.public`).
    """

    def __init__(self, code: str, message: str) -> None:
        if code.partition(" ")[0] not in ERROR_CODES:  # Beam puts the step that failed behind the first argument
            raise ValueError(f"{code!r} is not one of the error codes {sorted(ERROR_CODES)}")
        self.code = code
        self.message = as_message(message)
        super().__init__(code, self.message)

    def __str__(self) -> str:
        return self.message

    @property
    def failure(self) -> Failure:
        """Return code and message as a record that can be sent to another process."""
        return Failure(self.code, self.message)


class PdfError(CodedError):
    """A part of a PDF, or the whole, could not be read."""


class DocumentError(PdfError):
    """The document cannot be opened."""


class PageError(PdfError):
    """The page cannot be loaded or read."""
