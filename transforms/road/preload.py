"""Import the modules that every guarded process needs, in the server from which they are forked (`pdfmill.transforms.road.isolation`).
The objects are then excluded from garbage collection, so that forked processes go on sharing their memory."""

from __future__ import annotations

import gc
import importlib
from typing import Final

from pdfmill.transforms.road.isolation import name_process
from pdfmill.transforms.tables.arrow_alone import probe_without_pandas

#: Modules that are imported only where they are used, but that more than half of all documents need: rows to Arrow, glyph names. fontTools
#: is not among them: one document in ten needs it.
LATER: Final = ("pdfmill.transforms.tables.parts", "pdfminer.encodingdb")

gc.disable()
name_process("pdfmill-forks")
importlib.import_module("pdfmill.transforms.road.document_road")
for _needed in LATER:
    importlib.import_module(_needed)
probe_without_pandas()
importlib.import_module("pdfmill.transforms.language.detect").profiles()
gc.freeze()
gc.enable()
