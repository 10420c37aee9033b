"""Fonts whose map from codes to characters (ToUnicode) was taken away or shuffled."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np
import pikepdf

from pdfmill.transforms.pdf.fonts.cmaps import to_unicode
from pdfmill.transforms.pdf.fonts.fonts import base_name, plain_name
from tests.pdf.to_unicode import to_cmap


def spoil(data: bytes, font_name: str, shuffle: bool, random: np.random.Generator) -> bytes:
    """The document with the maps of the fonts of this name taken away or shuffled."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        for each in pdf.objects:
            if not isinstance(each, pikepdf.Dictionary) or each.get("/Type") != "/Font" or "/ToUnicode" not in each:
                continue
            if plain_name(base_name(each) or "") != font_name:
                continue
            if shuffle:
                texts = shuffled(to_unicode(each.ToUnicode), random)
                each.ToUnicode = pdf.make_stream(to_cmap(texts, 2 if each.Subtype == "/Type0" else 1))
            else:
                del each["/ToUnicode"]
        sink = io.BytesIO()
        pdf.save(sink)
    return sink.getvalue()


def shuffled(texts: Mapping[int, str], random: np.random.Generator) -> dict[int, str]:
    """What the codes stand for, with each other's texts."""
    targets = list(texts.values())
    return {code: targets[place] for code, place in zip(texts, random.permutation(len(targets)).tolist(), strict=True)}
