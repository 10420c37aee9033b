"""Open a document with PDFium. If PDFium fails, open it with qpdf, which recovers damaged files (ISO 32000-2 §7.5, §7.6)."""

from __future__ import annotations

import io
import re
import stringprep
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from itertools import islice
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import pikepdf
import pypdfium2
import pypdfium2.raw as pdfium_c
from msgspec import Struct, field
from msgspec.structs import replace
from pikepdf import Dictionary, Pdf

from pdfmill.schemas.codes import DocumentError
from pdfmill.schemas.records import Notice
from pdfmill.transforms.pdf.open.identify import PDF_VERSIONS, ZIP_MAGIC, Signature, find_signature, guess_format, looks_like_pdf
from pdfmill.transforms.pdf.open.limits import DEFAULT_LIMITS, Limits
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, Key, get, integer, is_dict, items, stream_bytes
from pdfmill.transforms.pdf.open.page_tree import PageTree, hang_pages, read_page_tree, rebuild_page_tree
from pdfmill.transforms.pdf.open.pdfium_api import open_engine
from pdfmill.transforms.pdf.open.salvage import Remains, read_remains, with_new_catalog, with_pages, with_room

#: Characters kept of a message of PDFium or qpdf.
_MESSAGE_LENGTH: Final = 300
_STREAM_NAME: Final = re.compile(r"stream <_io\.BytesIO object at 0x[0-9a-f]+>:?|<_io\.BytesIO object at 0x[0-9a-f]+>")
#: Bytes of a content stream, and number of its filters, up to which it is read to compare PDFium with qpdf.
_MAX_CONTENT: Final = 4 << 20
_MAX_FILTERS: Final = 2
#: Pages whose characters are counted if PDFium and qpdf may have rebuilt a file differently.
_COMPARED_PAGES: Final = 3
#: Documents with at most so many pages are not checked for a wrong page count, because each page is tried anyway.
_BELIEVED_PAGES: Final = 100
#: Appended to a file that PDFium does not open. If the file was cut off within a stream, qpdf then keeps the beginning of that stream.
_END_OF_STREAM: Final = b"\nendstream\nendobj\n%%EOF\n"
#: Number of repairs that get a message each; for the rest one message gives their number.
_MAX_REPAIRS: Final = 20


_P = ParamSpec("_P")
_T = TypeVar("_T")


def once_per_document(read: Callable[Concatenate[PdfDocument, _P], _T]) -> Callable[Concatenate[PdfDocument, _P], _T]:
    """Decorate a function that reads something from a document, so that its results are cached until the document is closed.
    The other arguments must be hashable. Errors are not cached."""

    @wraps(read)
    def kept(document: PdfDocument, /, *further: _P.args, **named: _P.kwargs) -> _T:
        key = (read, *further)
        if key not in document.kept:
            document.kept[key] = read(document, *further, **named)
        found: _T = document.kept[key]
        return found

    return kept


class OcrResults(Struct):
    """Results of OCR of a document's pages: the sample pages (`survey`), the language, and the text of each code by font. They are kept
    when the document is closed and opened again."""

    survey: object = None  # the recognised sample pages; None before OCR
    language: str | None = None  # Tesseract's name of the document's languages; None until it is determined
    fonts: dict[Key, dict[int, str]] | None = None  # recognised text by object key of a font and by character code; None before OCR


class PdfDocument(Struct):
    """An open document. It must be used by one thread at a time, because PDFium allows no more."""

    name: str  # for messages
    data: bytes  # the bytes of the file, unchanged
    kind: str  # pdf, fdf or xfdf; only a pdf has pages
    signature: Signature | None  # the header `%PDF-1.7`; None if it is missing
    limits: Limits
    page_count: int = 0  # as PDFium counts
    warnings: list[Notice] = field(default_factory=list)  # repairs that were needed to open the document
    opened_with: str | None = None  # "empty" or "candidate", the password that opened an encrypted document; None if it is not encrypted
    password: str = ""  # the password that opened it, if encrypted
    candidates: tuple[str, ...] = ()  # the passwords given by the caller, with their forms prepared by SASLprep
    attachments_locked: bool = False  # only its attachments are encrypted, and no given password opens them
    rebuilt: bool = False  # its cross-reference table was damaged, so PDFium and qpdf each rebuilt it by their own rules
    remains: Remains | None = None  # positions of the objects in the bytes of a damaged file, once they were needed; else None
    pictured: OcrResults = field(default_factory=OcrResults)  # results of OCR
    kept: dict[tuple[object, ...], Any] = field(default_factory=dict)  # results cached by `once_per_document`, by function and arguments
    _pdfium: pypdfium2.PdfDocument | None = None
    _pikepdf: Pdf | None = None
    _objects_error: str | None = None  # qpdf's message if it cannot open the document
    _repairs: list[str] = field(default_factory=list)  # messages of qpdf
    _reported: bool = False  # `repairs` has returned the messages, so no more are added

    def __repr__(self) -> str:
        """Return a description with the name and the page count, without passwords."""
        return f"PdfDocument({self.name!r}, pages={self.page_count})"

    @property
    def pdfium(self) -> pypdfium2.PdfDocument:
        """The document as opened in PDFium.

        Raises:
            DocumentError: this is an FDF or XFDF file, which has no pages.
        """
        if self._pdfium is None:
            raise DocumentError("no_pages", f"{self.name}: this is a file of type {self.kind.upper()}, which has no pages")
        return self._pdfium

    @property
    def pikepdf(self) -> Pdf:
        """The document as opened in qpdf, at the first use: the file or, if that fails, a copy that PDFium writes, or one with a new
        catalog.

        Raises:
            pikepdf.PdfError: qpdf cannot read these copies either.
        """
        if self._objects_error is not None:
            raise pikepdf.PdfError(self._objects_error)
        if self._pikepdf is None:
            try:
                self._pikepdf = self._open_objects()
            except OBJECT_ERRORS as error:
                self._objects_error = shorten(error)
                raise
        return self._pikepdf

    def _open_objects(self) -> Pdf:
        """Open the file in qpdf. If that fails, open a copy that PDFium writes; if that fails too, a copy with a new catalog."""
        try:
            return self._open_with_candidates()
        except OBJECT_ERRORS as error:
            if self._pdfium is None:
                raise
            said = shorten(error)
            self.attachments_locked = isinstance(error, pikepdf.PasswordError)
        try:
            copy = _open_objects(_copy(self._pdfium), "")
            self.warnings.append(
                Notice("repaired_structure", None, f"the file was rebuilt by PDFium, because qpdf could not read it: {said}")
            )
            return copy
        except OBJECT_ERRORS:
            salvaged = with_new_catalog(self.data)
            if salvaged is None:
                raise
        copy = _open_objects(salvaged.data, "")
        self.warnings.append(
            Notice("repaired_structure", None, f"the file was read with a new catalog, because qpdf could not read it: {said}")
        )
        return copy

    def _open_with_candidates(self) -> Pdf:
        """Open the file in qpdf with the password that opened its pages, then with each other password, because attachments may be
        encrypted alone (§7.6.6)."""
        for password in (self.password, *self.candidates):
            try:
                return _open_objects(self.data, password)
            except pikepdf.PasswordError as error:
                refusal = error
        raise refusal

    @property
    def tree(self) -> PageTree:
        """The page tree, read at the first use.

        Raises:
            pikepdf.PdfError: qpdf cannot open the document.
        """
        return _page_tree(self)

    def repairs(self) -> list[Notice]:
        """Return the repairs that qpdf reported until the first call of this method, so that reading again gives the same result."""
        if not self._reported:
            self._repairs += _drain(self._pikepdf)
            self._reported = True
        found = [Notice("repaired_object", None, message) for message in self._repairs[:_MAX_REPAIRS]]
        if len(self._repairs) > _MAX_REPAIRS:
            found.append(Notice("repaired_object", None, f"there were {len(self._repairs) - _MAX_REPAIRS} more repairs of this kind"))
        return found

    def close(self) -> None:
        """Close the document in PDFium and qpdf; may be called twice."""
        if self._pdfium is not None:
            self._pdfium.close()
        if self._pikepdf is not None:
            self._pikepdf.close()
        self._pdfium = self._pikepdf = None
        self.kept.clear()


@once_per_document
def _page_tree(document: PdfDocument) -> PageTree:
    return read_page_tree(document.pikepdf, document.limits)


@once_per_document
def annotations_of(document: PdfDocument) -> list[tuple[int, Dictionary]]:
    """Return the document's annotations, up to `max_nodes` of them, as pairs of the page number, from 1, and the dictionary."""
    return list(islice(_walk_annotations(document), document.limits.max_nodes))


def _walk_annotations(document: PdfDocument) -> Iterator[tuple[int, Dictionary]]:
    limits = document.limits
    if document.kind == "fdf":
        listed = items(get(get(document.pikepdf.Root, "/FDF"), "/Annots"), limits)
        yield from (((integer(get(entry, "/Page"), 31) or 0) + 1, entry) for entry in listed if is_dict(entry))
        return
    for page, dictionary in enumerate(document.tree.pages, start=1):
        annotations = get(dictionary, "/Annots")
        if isinstance(annotations, pikepdf.Array):
            yield from ((page, entry) for entry in items(annotations, limits) if is_dict(entry))


def open_document(data: bytes, *, name: str, passwords: Sequence[str] = (), limits: Limits = DEFAULT_LIMITS) -> PdfDocument:
    """Open a PDF, FDF or XFDF file. name: for messages. passwords: candidates tried after the empty one; never part of a message.

    Raises:
        DocumentError: with the code empty, too_large, not_pdf, password_needed, unsupported_security, damaged or no_pages.
    """
    if not data:
        raise DocumentError("empty", f"{name}: the file is empty")
    if len(data) > limits.max_bytes:
        raise DocumentError("too_large", f"{name}: the file has {len(data)} bytes; the limit is {limits.max_bytes}")
    signature = find_signature(data)
    if data.startswith(ZIP_MAGIC) or (signature is None and not looks_like_pdf(data)):  # a ZIP archive may hold several PDFs
        raise _not_pdf(name, data)
    document = PdfDocument(name, data, signature.kind if signature else "pdf", signature, replace(limits, reached=set()))
    document.candidates = tuple(islice(_candidates(passwords), 1, None))
    document.warnings += _header_warnings(signature)
    if document.kind == "pdf":
        _open_pdf(document, passwords)
    elif document.kind == "fdf":
        _open_fdf(document)
    return document


def _open_fdf(document: PdfDocument) -> None:
    try:
        document._pikepdf = _open_objects(with_pages(document.data), "")
    except OBJECT_ERRORS as error:
        raise DocumentError("damaged", f"{document.name}: the FDF file cannot be read: {shorten(error)}") from error
    _drain(document._pikepdf)  # an FDF file has no cross-reference table; rebuilding it is no repair


def _not_pdf(name: str, data: bytes) -> DocumentError:
    return DocumentError("not_pdf", f"{name}: this is not a PDF (its bytes hold no signature %PDF-); {_likely_format(data)}")


def _likely_format(data: bytes) -> str:
    """Return the end of a sentence that names the likely format of a file that is no PDF."""
    found = guess_format(data)
    return "its format is not known" if found == "unknown" else f"its format seems to be: {found}"


def _header_warnings(signature: Signature | None) -> list[Notice]:
    if signature is None:
        return [Notice("header_missing", None, "the file does not begin with a PDF signature (%PDF-)")]
    if signature.offset:
        return [Notice("header_offset", None, f"there are {signature.offset} bytes before the PDF signature (%PDF-)")]
    if signature.kind == "pdf" and signature.version not in PDF_VERSIONS:
        said = f"version {signature.version}, which does not exist" if signature.version else "no version"
        return [Notice("header_invalid", None, f"the header of the file names {said}")]
    return []


def _open_pdf(document: PdfDocument, passwords: Sequence[str]) -> None:
    reason = _open_in_pdfium(document, passwords)
    if reason is None:
        _check_count(document)
    if reason is None and document.page_count and _page_exists(document, 0):
        document.rebuilt = _is_rebuilt(document)
        if document.rebuilt and _is_light(document):
            _prefer_text(document)
        return
    try:
        _open_repaired(document, passwords, reason or "no page is found")
    except DocumentError as error:
        if not document.page_count:
            raise
        document.warnings.append(Notice("repaired_structure", None, f"the first page is missing: {error.message}"))
    document.rebuilt = _is_rebuilt(document)


def _open_in_pdfium(document: PdfDocument, passwords: Sequence[str]) -> str | None:
    """Open the unchanged bytes in PDFium. Return None on success, else PDFium's error message."""
    reason = ""
    for position, password in enumerate(_candidates(passwords)):
        try:
            document._pdfium = open_engine(document.data, password or None)
        except pypdfium2.PdfiumError as error:
            reason = shorten(error)
            if error.err_code != pdfium_c.FPDF_ERR_PASSWORD:
                return reason
            continue
        document.page_count = len(document._pdfium)
        if pdfium_c.FPDF_GetSecurityHandlerRevision(document._pdfium.raw) >= 0:
            document.opened_with = "candidate" if position else "empty"
        document.password = password
        return None
    return reason


def _count_pages(document: PdfDocument) -> int:
    count = len(document.pdfium)
    if count > document.limits.max_pages:
        raise DocumentError("too_large", f"{document.name}: the document has {count} pages; the limit is {document.limits.max_pages}")
    return count


def _check_count(document: PdfDocument) -> None:
    """Set the page count: the page tree's entry Count or, if the last page is missing, the number of its leaves.

    Raises:
        DocumentError: too_large.
    """
    if document.page_count > _BELIEVED_PAGES and not _page_exists(document, document.page_count - 1):
        _hang_leaves(document)
    document.page_count = _count_pages(document)


def _hang_leaves(document: PdfDocument) -> None:
    """If qpdf finds fewer pages than the file states, give PDFium a copy whose page tree is a flat list of these pages."""
    claimed = document.page_count
    try:
        leaves = document.tree.pages
        if not 0 < len(leaves) < claimed:
            return
        hang_pages(document.pikepdf, leaves)
        engine = open_engine(_save(document.pikepdf))
    except (pypdfium2.PdfiumError, *OBJECT_ERRORS):
        return  # each missing page gets a failure when it is read
    document.pdfium.close()
    document._pdfium = engine
    document.kept.clear()
    document.warnings.append(Notice("repaired_page_tree", None, f"the page tree states {claimed} pages but has {len(engine)}"))


def _page_exists(document: PdfDocument, index: int) -> bool:
    """Return whether PDFium can read the page's dictionary; its content is not read. index: from 0."""
    size = pdfium_c.FS_SIZEF()
    return bool(pdfium_c.FPDF_GetPageSizeByIndexF(document.pdfium.raw, index, size))


def _is_rebuilt(document: PdfDocument) -> bool:
    """Return whether qpdf had to rebuild the cross-reference table. PDFium then rebuilt it too, by its own rules and without a message."""
    try:
        document._repairs += _drain(document.pikepdf)
    except OBJECT_ERRORS:
        return False  # reading the facts reports that the objects cannot be read
    return any("reconstruct cross-reference" in message for message in document._repairs)


def _is_light(document: PdfDocument) -> bool:
    """Return whether reading the first pages twice is cheap: each content stream has few filters and few bytes."""
    try:
        contents = [stream for page in document.tree.pages[:_COMPARED_PAGES] for stream in items(get(page, "/Contents"))]
        return all(
            isinstance(stream, pikepdf.Stream)
            and len(items(stream.get("/Filter"))) <= _MAX_FILTERS
            and len(stream_bytes(stream, Limits(max_stream=_MAX_CONTENT))) <= _MAX_CONTENT
            for stream in contents
        )
    except OBJECT_ERRORS:
        return False


def _prefer_text(document: PdfDocument) -> None:
    """Replace the document in PDFium by the file as qpdf rebuilt it, if the first pages then have more characters and no page is lost."""
    try:
        engine = open_engine(_save(document.pikepdf))
    except (pypdfium2.PdfiumError, *OBJECT_ERRORS):
        return  # PDFium's own reading of the file is kept
    if len(engine) < document.page_count or _count_chars(engine) <= _count_chars(document.pdfium):
        engine.close()
        return
    document.pdfium.close()
    document._pdfium = engine
    document.page_count = _count_pages(document)
    document.warnings.append(
        Notice("repaired_structure", None, "the file was rebuilt by qpdf, which finds more text in it than PDFium does")
    )


def _count_chars(engine: pypdfium2.PdfDocument) -> int:
    total = 0
    for number in range(min(len(engine), _COMPARED_PAGES)):
        try:
            page = engine[number]
            total += page.get_textpage().count_chars()
            page.close()
        except pypdfium2.PdfiumError:
            continue
    return total


def _open_repaired(document: PdfDocument, passwords: Sequence[str], reason: str) -> None:
    """Open in PDFium the file that qpdf recovers, else one with a new page tree over all page objects. reason: PDFium's error message."""
    try:
        _open_recovered(document, passwords, reason)
    except DocumentError as error:
        if error.code in ("damaged", "no_pages") and _open_salvaged(document, reason):
            return
        if document.signature is None:
            raise _not_pdf(document.name, document.data) from error
        raise  # not `from error`: that reference cycle would keep the document's bytes in memory until garbage is collected


def _open_salvaged(document: PdfDocument, reason: str) -> bool:
    found = with_new_catalog(document.data)
    if found is None:
        return False
    try:
        if found.pages:
            document._pdfium = open_engine(found.data)
        document._pikepdf = _open_objects(found.data, "")
    except pypdfium2.PdfiumError:
        return False  # the caller raises the first error
    except OBJECT_ERRORS:
        document._pikepdf = None
        if not found.pages:
            return False
    document.page_count = _count_pages(document) if found.pages else 0
    if found.pages and not document.page_count:
        return False
    document.remains = replace(read_remains(found.data), cut=read_remains(document.data).cut)
    message = f"the file's trailer, catalog or page tree is lost ({reason}); {document.page_count} pages were found"
    document.warnings.append(Notice("repaired_page_tree", None, message))
    return True


def _open_recovered(document: PdfDocument, passwords: Sequence[str], reason: str) -> None:
    had_pages = document.page_count
    pdf = _recover(document, passwords, reason)
    document._pikepdf = pdf
    try:
        pages = len(read_page_tree(pdf, document.limits).pages)
        rebuilt = not pages and rebuild_page_tree(pdf, document.limits)
        if not pages and not rebuilt:
            _accept_empty(document, pdf, reason)
            return
        repaired = _save(pdf)
        engine = open_engine(repaired)
    except (pypdfium2.PdfiumError, *OBJECT_ERRORS) as error:
        if had_pages:
            return
        raise DocumentError(
            "damaged", f"{document.name}: the file is damaged: neither PDFium nor qpdf can open it: {reason}; {shorten(error)}"
        ) from error
    _use_repaired(document, engine, had_pages, reason, bool(rebuilt))


def _use_repaired(document: PdfDocument, engine: pypdfium2.PdfDocument, had_pages: int, reason: str, rebuilt: bool) -> None:
    first, document._pdfium = document._pdfium, engine
    if had_pages and not _count_pages(document):
        document._pdfium = first
        engine.close()
        return
    document.page_count = _count_pages(document)
    if not document.page_count:
        raise DocumentError("no_pages", f"{document.name}: no page is found in the file: {reason}")
    document.warnings.append(
        Notice("repaired_structure", None, f"the file was rebuilt by qpdf, because PDFium could not read it: {reason}")
    )
    if rebuilt:
        document.warnings.append(Notice("repaired_page_tree", None, "the page tree was rebuilt from the page objects found"))


def _accept_empty(document: PdfDocument, pdf: Pdf, reason: str) -> None:
    """Accept a document without pages if its page tree is empty; otherwise raise DocumentError no_pages. reason: PDFium's error message."""
    pages = get(pdf.Root, "/Pages")
    if not (is_dict(pages) and isinstance(get(pages, "/Kids"), pikepdf.Array)):
        raise DocumentError("no_pages", f"{document.name}: no page is found in the file: {reason}")
    document.page_count = 0
    document.warnings.append(Notice("no_pages", None, "the document has no pages"))


def _recover(document: PdfDocument, passwords: Sequence[str], reason: str) -> Pdf:
    """Open the damaged file in qpdf, which recovers part of it. reason: PDFium's error message.

    Raises:
        DocumentError: password_needed, unsupported_security or damaged.
    """
    data = (document.data[document.signature.offset :] if document.signature else document.data) + _END_OF_STREAM
    for position, password in enumerate(_candidates(passwords)):
        try:
            pdf = _open_objects(data, password)
        except pikepdf.PasswordError:
            continue
        except OBJECT_ERRORS as error:
            raise _refusal(document, reason, shorten(error)) from error
        document.password = password
        if pdf.is_encrypted:
            document.opened_with = "candidate" if position else "empty"
        return pdf
    tried = f"{len(passwords)} candidate{' does' if len(passwords) == 1 else 's do'} not fit" if passwords else "no candidates were given"
    raise DocumentError("password_needed", f"{document.name}: the document is encrypted and needs a password; {tried}")


def _refusal(document: PdfDocument, reason: str, other: str) -> DocumentError:
    if "unsupported encryption" in other or "security scheme" in reason.lower() or "encryption dictionary" in other:
        return DocumentError("unsupported_security", f"{document.name}: the document is encrypted in a way that is not supported: {other}")
    return DocumentError(
        "damaged", f"{document.name}: the file is damaged: neither PDFium nor qpdf can open it: PDFium: {reason}; qpdf: {other}"
    )


def _open_objects(data: bytes, password: str) -> Pdf:
    try:
        return _open_with_qpdf(data, password)
    except pikepdf.PdfError:
        roomy = with_room(data)
        if roomy is None:
            raise
        return _open_with_qpdf(roomy, password)


def _open_with_qpdf(data: bytes, password: str) -> Pdf:
    pdf = pikepdf.Pdf.open(io.BytesIO(data), password=password, suppress_warnings=True, inherit_page_attributes=False)
    _ = pdf.Root  # raises if the cross-reference table is sound but names no catalog
    return pdf


def _save(pdf: Pdf) -> bytes:
    target = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pikepdf.PageCopyWarning)  # widgets that belong to no form stay as they are
        pdf.save(target, encryption=False, static_id=True, fix_metadata_version=False)
    return target.getvalue()


def _candidates(passwords: Sequence[str]) -> Iterator[str]:
    """Yield the empty password, then each given one, and its form prepared by SASLprep if that differs (§7.6.4.3.4)."""
    yield ""
    for password in passwords:
        yield password
        if (prepared := saslprep(password)) != password:
            yield prepared


def saslprep(password: str) -> str:
    """Prepare a password by RFC 4013 (SASLprep): unusual spaces become spaces, ignorable characters are dropped, then NFKC is applied.

    >>> saslprep("I\\u00adX\\u2168")
    'IXIX'
    """
    mapped = "".join(" " if stringprep.in_table_c12(char) else char for char in password if not stringprep.in_table_b1(char))
    return unicodedata.normalize("NFKC", mapped)


def _copy(engine: pypdfium2.PdfDocument) -> bytes:
    target = io.BytesIO()
    engine.save(target, flags=pdfium_c.FPDF_REMOVE_SECURITY)
    return target.getvalue()


def _drain(pdf: Pdf | None) -> list[str]:
    """Return qpdf's messages since the last call, which qpdf then forgets."""
    return [shorten(message) for message in pdf.get_warnings()] if pdf is not None else []


def shorten(message: object) -> str:
    """Return a message of PDFium or qpdf as one line, without memory addresses."""
    line = " ".join(_STREAM_NAME.sub("", str(message)).split())[:_MESSAGE_LENGTH]
    # Messages of PDFium and qpdf may quote bytes of the file, which must not reach a terminal as a command.
    return line if line.isprintable() else "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in line)
