"""Images cut out of a page's picture."""

from __future__ import annotations

import base64
import io

import numpy as np
import pytest
from PIL import Image

from pdfmill.pipeline.render.images import cut_pictures, picture_boxes
from pdfmill.schemas.records import PageLines, TextLine

LINE = TextLine("a", 0, 0, 1, 1, 1, 0, ((0, 0),))


def page(*boxes: tuple[float, float, float, float], text: bool = True) -> PageLines:
    return PageLines(1, 100, 200, lines=[LINE] if text else [], images=np.array(boxes, np.float32).reshape(-1, 4))


def test_strips_of_one_image_are_one_and_bullets_are_none():
    assert picture_boxes(page((10, 50, 90, 60), (10, 70, 90, 80), (10, 60.5, 90, 69.5), (0, 0, 5, 5))) == [(10, 50, 90, 80)]


@pytest.mark.parametrize("shift", [(-21, 0), (21, 0), (0, -41), (0, 41)])
def test_images_one_point_apart_are_one(shift: tuple[float, float]):
    def beside(x: float, y: float) -> int:
        return len(picture_boxes(page((40, 80, 60, 120), (40 + x, 80 + y, 60 + x, 120 + y))))

    assert beside(*shift) == 1
    assert beside(*(1.02 * step for step in shift)) == 2


def test_images_end_at_the_page():
    assert picture_boxes(page((-20, 100, 40, 400), (300, 0, 400, 100))) == [(0, 100, 40, 200)]


def test_a_scan_shows_when_it_is_all_there_is():
    whole = (0.0, 0.0, 100.0, 200.0)
    assert picture_boxes(page(whole, text=False)) == [whole]
    assert picture_boxes(page(whole)) == []


def test_a_picture_holds_the_pixels_of_its_box():
    pixels = np.full((400, 200, 3), 255, np.uint8)
    pixels[100:160, 20:180] = (0, 0, 200)
    (picture,) = cut_pictures(pixels, page((10, 50, 90, 80)), [(10, 50, 90, 80)])
    assert (picture.width, picture.height) == (160, 60)
    kind, data = picture.address.split(",")
    assert kind in ("data:image/png;base64", "data:image/jpeg;base64")
    with Image.open(io.BytesIO(base64.b64decode(data))) as image:
        assert (np.abs(np.asarray(image.convert("RGB")).astype(int) - (0, 0, 200)) < 8).all()
