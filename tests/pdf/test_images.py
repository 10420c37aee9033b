from __future__ import annotations

import io
import zlib
from functools import partial

import numpy as np
import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String
from PIL import Image

from pdfmill.schemas.records import Row
from pdfmill.transforms.pdf.facts.facts import read_facts
from pdfmill.transforms.pdf.facts.image_files import image_file
from pdfmill.transforms.pdf.facts.images import color_space, read_images, read_thumbnails
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.limits import DEFAULT_LIMITS
from tests.pdf.make import add_annotations, annotation, make_document

AS_FILE = partial(image_file, limits=DEFAULT_LIMITS)
PIXELS = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3) * 3


def image(
    pdf: pikepdf.Pdf,
    data: bytes,
    filter_: object = None,
    *,
    width: int = 6,
    height: int = 4,
    bits: int = 8,
    space: object = Name.DeviceRGB,
    **entries: object,
) -> pikepdf.Stream:
    stream = pdf.make_stream(
        data, Type=Name.XObject, Subtype=Name.Image, Width=width, Height=height, BitsPerComponent=bits, ColorSpace=space, **entries
    )
    if filter_ is not None:
        stream["/Filter"] = filter_
    return stream


def opened(stream: pikepdf.Stream) -> Image.Image:
    file = image_file(stream, DEFAULT_LIMITS)
    assert file.mime_type == "image/tiff"
    return Image.open(io.BytesIO(file.data))


def draw(pdf: pikepdf.Pdf, stream: pikepdf.Stream, content: bytes = b"q 60 0 0 40 10 20 cm /Im Do Q") -> None:
    page = pdf.pages[0].obj
    page["/Resources"]["/XObject"] = Dictionary(Im=stream)
    page["/Contents"] = pdf.make_stream(content)


def only(document: PdfDocument) -> Row:
    assets, warnings, _ = read_images(document, AS_FILE)
    assert warnings == []
    return assets[0].row


@pytest.mark.parametrize(("filter_", "data"), [(None, PIXELS.tobytes()), (Name.FlateDecode, zlib.compress(PIXELS.tobytes()))])
def test_raw_and_flate_keep_their_bytes(filter_: object, data: bytes) -> None:
    pdf = pikepdf.new()
    stream = image(pdf, data, filter_)
    assert data in image_file(stream, DEFAULT_LIMITS).data
    assert (np.asarray(opened(stream)) == PIXELS).all()


def test_run_length_is_pack_bits() -> None:
    pdf = pikepdf.new()
    assert np.asarray(opened(image(pdf, b"\xe9\x07\x80", Name.RunLengthDecode, space=Name.DeviceGray))).tolist() == [[7] * 6] * 4


def test_outer_filters_are_taken_off() -> None:
    pdf = pikepdf.new()
    data = zlib.compress(PIXELS.tobytes())
    stream = image(pdf, data.hex().encode() + b">", Array([Name.ASCIIHexDecode, Name.FlateDecode]))
    assert data in image_file(stream, DEFAULT_LIMITS).data
    assert (np.asarray(opened(stream)) == PIXELS).all()


def test_png_predictors_are_applied_and_tiffs_kept() -> None:
    pdf = pikepdf.new()
    rows = b"".join(b"\x00" + row.tobytes() for row in PIXELS)
    png = image(pdf, zlib.compress(rows), Name.FlateDecode, DecodeParms=Dictionary(Predictor=15, Colors=3, Columns=6))
    assert (np.asarray(opened(png)) == PIXELS).all()
    left = np.concatenate([np.zeros((4, 1, 3), np.uint8), PIXELS[:, :-1]], axis=1)
    tiff = image(pdf, zlib.compress((PIXELS - left).tobytes()), Name.FlateDecode, DecodeParms=Dictionary(Predictor=2, Colors=3, Columns=6))
    assert (np.asarray(opened(tiff)) == PIXELS).all()


def test_jpeg_in_tiff_or_as_it_is() -> None:
    pdf = pikepdf.new()
    sink = io.BytesIO()
    Image.fromarray(PIXELS).resize((48, 32)).save(sink, "JPEG", quality=95)
    stream = image(pdf, sink.getvalue(), Name.DCTDecode, width=48, height=32)
    assert sink.getvalue() in image_file(stream, DEFAULT_LIMITS).data
    kept = image_file(stream, DEFAULT_LIMITS, keep_jpeg=True)
    assert (kept.data, kept.mime_type) == (sink.getvalue(), "image/jpeg")
    expected = np.asarray(Image.open(io.BytesIO(kept.data)).convert("RGB"), dtype=int)
    assert np.abs(np.asarray(opened(stream).convert("RGB"), dtype=int) - expected).max() <= 3


def test_fax_polarity() -> None:
    pdf = pikepdf.new()
    picture = Image.new("1", (16, 8), 1)
    picture.paste(0, (0, 0, 4, 8))
    sink = io.BytesIO()
    picture.save(sink, "TIFF", compression="group4")
    tags = Image.open(io.BytesIO(sink.getvalue())).tag_v2
    coded = sink.getvalue()[tags[273][0] : tags[273][0] + tags[279][0]]
    for black_is_1, left in ((False, 0), (True, 255)):
        stream = image(pdf, coded, Name.CCITTFaxDecode, width=16, height=8, bits=1, space=Name.DeviceGray)
        stream["/DecodeParms"] = Dictionary(K=-1, Columns=16, Rows=8, BlackIs1=black_is_1)
        shown = np.asarray(opened(stream).convert("L"))
        expected = left if tags[262] == 0 else 255 - left
        assert shown[0, 0] == expected
        assert shown[0, 15] == 255 - expected


def test_jpx_and_jbig2_stand_alone() -> None:
    pdf = pikepdf.new()
    assert image_file(image(pdf, b"jpx bytes", Name.JPXDecode), DEFAULT_LIMITS).data == b"jpx bytes"
    stream = image(pdf, b"page", Name.JBIG2Decode, bits=1, space=Name.DeviceGray)
    stream["/DecodeParms"] = Dictionary(JBIG2Globals=pdf.make_stream(b"shared"))
    data = image_file(stream, DEFAULT_LIMITS).data
    assert data.startswith(b"\x97JB2\r\n\x1a\n\x01\x00\x00\x00\x01sharedpage")


def test_indexed_over_rgb_is_a_palette() -> None:
    pdf = pikepdf.new()
    space = Array([Name.Indexed, Name.DeviceRGB, 1, String(b"\x10\x20\x30\xff\x00\x00")])
    stream = image(pdf, bytes([0b10100000] * 4), width=6, height=4, bits=1, space=space)
    shown = np.asarray(opened(stream).convert("RGB"))
    assert shown[0, :3].tolist() == [[255, 0, 0], [16, 32, 48], [255, 0, 0]]


def test_indexed_over_cmyk_is_expanded() -> None:
    pdf = pikepdf.new()
    space = Array([Name.Indexed, Name.DeviceCMYK, 1, String(bytes([1, 2, 3, 4, 5, 6, 7, 8]))])
    picture = opened(image(pdf, bytes([0b01000000] * 4), width=6, height=4, bits=1, space=space))
    assert picture.mode == "CMYK"
    assert np.asarray(picture)[0, :2].tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]


@pytest.mark.parametrize(
    ("space", "mode", "samples"), [(Name.DeviceGray, "L", 1), (Name.DeviceCMYK, "CMYK", 4), (Array([Name.CalRGB, Dictionary()]), "RGB", 3)]
)
def test_device_and_calibrated_spaces(space: object, mode: str, samples: int) -> None:
    pdf = pikepdf.new()
    data = bytes(range(24 * samples))
    picture = opened(image(pdf, data, space=space))
    assert picture.mode == mode
    assert np.asarray(picture).tobytes() == data


def test_icc_profile_is_kept() -> None:
    pdf = pikepdf.new()
    profile = pdf.make_stream(b"profile bytes, longer than four", N=3)
    picture = opened(image(pdf, PIXELS.tobytes(), space=Array([Name.ICCBased, profile])))
    assert picture.info["icc_profile"] == b"profile bytes, longer than four"


def test_colour_space_families() -> None:
    pdf = pikepdf.new()
    assert color_space(image(pdf, b"", space=Array([Name.Separation, Name.Gold, Name.DeviceCMYK, Dictionary()]))) == "Separation"
    assert color_space(image(pdf, b"", ImageMask=True)) == "DeviceGray"


def test_boxes_where_it_is_drawn_also_through_forms() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        stream = image(pdf, PIXELS.tobytes())
        form = pdf.make_stream(
            b"/Im Do", Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 1, 1]), Matrix=Array([10, 0, 0, 10, 100, 0])
        )
        form["/Resources"] = Dictionary(XObject=Dictionary(Im=stream, Self=form))
        draw(pdf, stream, b"q 60 0 0 40 10 20 cm /Im Do Q /Fm Do")
        pdf.pages[0].obj["/Resources"]["/XObject"]["/Fm"] = form

    row = only(make_document(edit))
    assert (row["width"], row["height"], row["filter"], row["color_space"], row["page"]) == (6, 4, "FlateDecode", "DeviceRGB", 1)
    boxes = row["boxes"]
    assert isinstance(boxes, list)
    assert [(box["x0"], box["top"], box["x1"], box["bottom"]) for box in boxes] == [(10, 40, 70, 80), (100, 90, 110, 100)]


def test_an_image_in_nine_forms_within_each_other_has_a_box() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        shown = image(pdf, PIXELS.tobytes())
        for _ in range(9):
            outer = pdf.make_stream(b"/X Do", Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 1, 1]))
            outer["/Resources"] = Dictionary(XObject=Dictionary(X=shown))
            shown = outer
        draw(pdf, shown, b"q 60 0 0 40 10 20 cm /Im Do Q")

    boxes = only(make_document(edit))["boxes"]
    assert isinstance(boxes, list)
    assert [(box["x0"], box["top"], box["x1"], box["bottom"]) for box in boxes] == [(10, 40, 70, 80)]


def test_masks_stand_beside() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        soft, stencil = image(pdf, bytes(24), space=Name.DeviceGray), image(pdf, bytes(4), bits=1, ImageMask=True)
        draw(pdf, image(pdf, PIXELS.tobytes(), SMask=soft, Mask=stencil))

    assets, *_ = read_images(make_document(edit), AS_FILE)
    assert [asset.row["name"] for asset in assets] == ["Im", "Im soft mask", "Im mask"]


def test_images_of_patterns_soft_mask_groups_and_annotations() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        pictures = [image(pdf, bytes([number]) * 72) for number in range(3)]
        shown = [Dictionary(XObject=Dictionary({f"/Im{number}": picture})) for number, picture in enumerate(pictures)]
        pattern = pdf.make_stream(b"", PatternType=1, Resources=shown[0])
        group = pdf.make_stream(b"", Type=Name.XObject, Subtype=Name.Form, Resources=shown[1])
        stamp = pdf.make_stream(b"", Type=Name.XObject, Subtype=Name.Form, Resources=shown[2])
        resources = pdf.pages[0].Resources
        resources["/Pattern"], resources["/ExtGState"] = (
            Dictionary(P=pattern),
            Dictionary(G=Dictionary(SMask=Dictionary(S=Name.Luminosity, G=group))),
        )
        add_annotations(pdf, annotation("Stamp", AP=Dictionary(N=Dictionary(On=stamp)), AS=Name.On))

    assets, *_ = read_images(make_document(edit), AS_FILE)
    assert {(asset.row["name"], asset.row["page"]) for asset in assets} == {("Im0", 1), ("Im1", 1), ("Im2", 1)}


@pytest.mark.parametrize(("keep", "kind"), [(False, "image/tiff"), (True, "image/jpeg")])
def test_jpeg_by_option(keep: bool, kind: str) -> None:
    sink = io.BytesIO()
    Image.fromarray(PIXELS).save(sink, "JPEG")
    document = make_document(lambda pdf: draw(pdf, image(pdf, sink.getvalue(), Name.DCTDecode)))
    facts = read_facts(document, document.data, export=frozenset({"image"}), keep_jpeg=keep)
    assert [(each.row["mime_type"], each.data == sink.getvalue()) for each in facts.assets] == [(kind, keep)]


def test_what_is_named_and_never_drawn_has_no_box() -> None:
    boxes = only(make_document(lambda pdf: draw(pdf, image(pdf, PIXELS.tobytes()), b"")))["boxes"]
    assert boxes == [{"page": 1, "x0": None, "top": None, "x1": None, "bottom": None}]


def test_inline_images_are_counted() -> None:
    content = b"q BI /W 1 /H 1 /BPC 8 /CS /G ID U EI Q BI /W 1 /H 1 /BPC 8 /CS /G ID U EI"
    document = make_document(lambda pdf: pdf.pages[0].obj.__setitem__("/Contents", pdf.make_stream(content)))
    assert read_images(document, AS_FILE)[2] == 2


def test_forms_that_multiply_end() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        inner = pdf.make_stream(b"", Type=Name.XObject, Subtype=Name.Form)
        for _ in range(9):
            outer = pdf.make_stream(b"/X Do " * 50, Type=Name.XObject, Subtype=Name.Form)
            outer["/Resources"] = Dictionary(XObject=Dictionary(X=inner))
            inner = outer
        draw(pdf, inner)

    assert read_images(make_document(edit), AS_FILE)[0] == []


def test_a_broken_image_is_a_warning() -> None:
    assets, warnings, _ = read_images(make_document(lambda pdf: draw(pdf, image(pdf, b"x", width=0))), AS_FILE)
    assert assets == []
    assert [each.code for each in warnings] == ["image_unreadable"]


def test_thumbnails() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        pdf.pages[1].obj["/Thumb"] = image(pdf, bytes(24), space=Name.DeviceGray)

    assets, warnings = read_thumbnails(make_document(edit, pages=2), AS_FILE)
    assert warnings == []
    assert [(each.row["kind"], each.row["page"], each.row["width"]) for each in assets] == [("thumbnail", 2, 6)]


@pytest.mark.parametrize(("decode", "grey"), [((0, 1), 7), ((1, 0), 248)])
def test_a_decode_array_that_begins_with_one_inverts_grey(decode: tuple[int, int], grey: int) -> None:
    pdf = pikepdf.new()
    stream = image(pdf, bytes([7] * 24), space=Name.DeviceGray, Decode=Array(decode))
    assert np.asarray(opened(stream).convert("L")).tolist() == [[grey] * 6] * 4
