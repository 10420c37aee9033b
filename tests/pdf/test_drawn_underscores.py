"""A short rule that fills a gap on the baseline is the character `_`, as TeX draws it in fonts that have none."""

from __future__ import annotations

import pytest

from pdfmill.transforms.layout.lines.lines import find_lines
from tests.pdf.pages import make_page, read

#: Advance widths of Helvetica, em.
WIDTHS = {"-": 0.333, "a": 0.556, "u": 0.556, "t": 0.278, "o": 0.556, "s": 0.5, "k": 0.5, "y": 0.5, " ": 0.278, "x": 0.5}


def typeset(text: str, size: float = 10.0, x: float = 20.0, y: float = 100.0) -> str:
    """The text as TeX sets it: for each `_` a kern of .06 em and a rule of .3 em by .4 points, above the baseline."""
    content = ""
    for n, word in enumerate(text.split("_")):
        if n:
            x += 0.06 * size
            content += f"q 1 0 0 1 {x:.3f} {y + 0.2:.3f} cm 0.398 w 0 0 m {0.3 * size:.3f} 0 l S Q "
            x += 0.3 * size
        if word:
            content += f"BT /F1 {size} Tf {x:.3f} {y} Td ({word}) Tj ET "
            x += size * sum(WIDTHS[letter] for letter in word)
    return content


def text_of(content: str) -> str:
    return "\n".join(line.text for line in find_lines(read(make_page(content))).lines)


@pytest.mark.parametrize("size", [6.0, 10.0, 14.0, 20.0])
@pytest.mark.parametrize("text", ["-auto_sky so", "so _sky so", "so sky_ so", "a_s_k", "__sky__ so"])
def test_rules_in_gaps_of_the_baseline_are_underscores(text: str, size: float) -> None:
    assert text_of(typeset(text, size)) == text


def test_an_underscore_is_no_longer_a_rule_and_has_its_own_place() -> None:
    page = read(make_page(typeset("auto_sky") + "20 80 m 200 80 l S "))
    found = (page.glyphs.unicode == ord("_")).nonzero()[0].tolist()
    assert found == [4]
    assert 0 < float(page.glyphs.x0[4]) - float(page.glyphs.x1[3]) < 1
    assert page.rules[:, 2].tolist() == pytest.approx([200], abs=1)


def image(x0: float, y: float, x1: float, pixels: int = 1) -> str:
    """A stroke as dvips draws rules: a stencil of one pixel."""
    return f"q {x1 - x0:.2f} 0 0 .48 {x0} {y - 0.24:.2f} cm BI /IM true /W {pixels} /H 1 /BPC 1 ID \0 EI Q "


def test_thin_images_of_one_pixel_are_rules() -> None:
    page = read(make_page(AUTO_SKY.format(gap=23.5) + image(40, 100, 43) + image(20, 80, 200)))
    assert [line.text for line in find_lines(page).lines] == ["auto_sky"]
    assert page.rules[:, 2].tolist() == pytest.approx([200], abs=1)
    assert not len(page.images)


def test_a_thin_image_of_more_pixels_is_a_picture() -> None:
    page = read(make_page(AUTO_SKY.format(gap=23.5) + image(40, 100, 43, 2)))
    assert not len(page.rules)
    assert len(page.images) == 1


AUTO = "BT /F1 10 Tf 20 100 Td (auto) Tj ET 0.4 w "
AUTO_SKY = "BT /F1 10 Tf 20 100 Td (auto) Tj {gap} 0 Td (sky) Tj ET 0.4 w "


def stroke(x0: float, y: float, x1: float) -> str:
    return f"{x0} {y} m {x1} {y} l S "


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("an underlined letter", AUTO + stroke(34.4, 99, 39)),
        ("a line to fill in", AUTO + stroke(40, 99.8, 90)),
        ("a dashed line to fill in", AUTO + "".join(stroke(x, 99.8, x + 3) for x in range(40, 90, 5))),
        ("a dash", AUTO_SKY.format(gap=23.5) + stroke(40, 102.5, 43)),
        ("a fraction bar", AUTO + stroke(40, 102.5, 43) + "BT /F1 6 Tf 40 104 Td (a) Tj 0 -7 Td (s) Tj ET "),
        ("an underlined space", "BT /F1 10 Tf 20 100 Td (auto sky) Tj ET 0.4 w " + stroke(39.6, 99.5, 42.2)),
        ("pieces of an underline", AUTO_SKY.format(gap=22.4) + stroke(20, 99, 39.4) + stroke(39.5, 99, 42.3) + stroke(42.4, 99, 57)),
        ("two below each other", AUTO_SKY.format(gap=23.5) + stroke(40, 100, 43) + stroke(40, 98.5, 43)),
        ("alone in a cell", AUTO + stroke(60, 100, 63)),
        ("as thick as a box", AUTO + "40.1 99 3 2 re f "),
        ("a drawing of many", typeset("auto_sky") + "0.4 w " + "".join(stroke(100, y / 4, 103) for y in range(401))),
    ],
)
def test_other_rules_are_none(name: str, content: str) -> None:
    assert "_" not in text_of(content), name
