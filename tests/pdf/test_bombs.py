import zlib

import pikepdf
import pytest

from pdfmill.schemas.codes import PageError
from pdfmill.transforms.pdf.open.contents import refuse_bomb
from pdfmill.transforms.pdf.open.document import open_document
from tests.pdf.make import make_pdf


def packed(content: bytes, times: int) -> bytes:
    data = content
    for _ in range(times):
        data = zlib.compress(data, 9)

    def edit(pdf: pikepdf.Pdf) -> None:
        stream = pikepdf.Stream(pdf, data)
        stream["/Filter"] = pikepdf.Array([pikepdf.Name.FlateDecode] * times)
        pdf.pages[0]["/Contents"] = pdf.make_indirect(stream)

    return make_pdf(edit, stream_decode_level=pikepdf.StreamDecodeLevel.none, compress_streams=False)


def test_a_small_content_packed_often_is_let_through():
    refuse_bomb(open_document(packed(b"0 0 m 1 1 l S ", 4), name="small"), 1)


def test_a_large_content_packed_often_is_refused():
    with pytest.raises(PageError, match="compressed several times over") as refused:
        refuse_bomb(open_document(packed(b"0 0 m 1 1 l S " * (5 << 20), 4), name="bomb"), 1)
    assert refused.value.code == "too_large"
