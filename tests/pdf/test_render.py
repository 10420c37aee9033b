import io

import numpy as np
import pikepdf
import pypdfium2
import pytest

from pdfmill.schemas.codes import PageError
from pdfmill.transforms.pdf.draw.render import picture_resolution, render_page


def _pdf(**page):
    """A page of 200 by 100 points with a red square of 10 points in its lower left corner."""
    pdf = pikepdf.new()
    pdf.add_blank_page(page_size=(200, 100))
    pdf.pages[0].Contents = pdf.make_stream(b"1 0 0 rg 0 0 10 10 re f")
    for key, value in page.items():
        pdf.pages[0][f"/{key}"] = value
    sink = io.BytesIO()
    pdf.save(sink)
    return pypdfium2.PdfDocument(sink.getvalue())


def test_pixels_are_rgb_from_the_top():
    pixels = render_page(_pdf(), 1, 2.0)
    assert pixels.shape == (200, 400, 3)
    assert pixels.dtype == np.uint8
    assert pixels[190, 10].tolist() == [255, 0, 0]
    assert pixels[10, 10].tolist() == [255, 255, 255]


def test_the_page_is_rotated_as_displayed():
    pixels = render_page(_pdf(Rotate=90), 1)
    assert pixels.shape == (200, 100, 3)
    assert pixels[5, 5].tolist() == [255, 0, 0]


def test_the_page_is_cropped():
    assert render_page(_pdf(CropBox=pikepdf.Array([0, 0, 50, 40])), 1).shape == (40, 50, 3)


def test_a_page_that_is_not_there():
    with pytest.raises(PageError, match="page 2"):
        render_page(_pdf(), 2)


def test_a_picture_too_large():
    with pytest.raises(PageError, match="exceeds the limit") as refused:
        render_page(_pdf(), 1, 1000.0)
    assert refused.value.code == "too_large"


def _with_picture(pixels: int, x: float, y: float, width: float, height: float) -> pypdfium2.PdfDocument:
    """A page of 200 by 100 points with a square picture of so many pixels a side, stretched over a rectangle."""
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(200, 100))
    picture = pdf.make_stream(
        bytes(pixels * pixels), Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Image, Width=pixels, Height=pixels,
        ColorSpace=pikepdf.Name.DeviceGray, BitsPerComponent=8,
    )  # fmt: skip
    page.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(P=picture))
    page.Contents = pdf.make_stream(f"q {width} 0 0 {height} {x} {y} cm /P Do Q".encode())
    sink = io.BytesIO()
    pdf.save(sink)
    return pypdfium2.PdfDocument(sink.getvalue())


@pytest.mark.parametrize(
    ("picture", "dots_per_inch"),
    [
        ((200, 0, 0, 200, 100), 72 * 2**0.5),  # 200 pixels by 200 on 200 points by 100
        ((200, 0, 20, 200, 80), 72 * 2.5**0.5),  # most of the page
        ((200, 0, 60, 200, 40), None),  # less than half of it, though its edges lie high
    ],
)
def test_the_resolution_of_a_page_is_that_of_the_picture_over_most_of_it(
    picture: tuple[int, float, float, float, float], dots_per_inch: float | None
) -> None:
    assert picture_resolution(_with_picture(*picture), 1) == (dots_per_inch and pytest.approx(dots_per_inch, rel=0.01))
