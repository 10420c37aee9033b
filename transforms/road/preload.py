"""The modules that every guarded process needs, imported once by the server from which they are forked
(`pdfmill.transforms.road.isolation`).

Modules leave no garbage: to look for it takes a tenth of the time that they take to import, and what is there when a process is
forked is never looked through again, so that the processes go on sharing it.
"""

from __future__ import annotations

import gc
import importlib
from typing import Final

from pdfmill.transforms.road.isolation import name_process
from pdfmill.transforms.tables.arrow_alone import probe_without_pandas

#: Imported only where they are needed, and needed by more than half of all documents: rows to Arrow, glyph names, ruled tables.
#: fontTools is needed by one in ten.
LATER: Final = ("pdfmill.transforms.tables.parts", "pdfminer.encodingdb", "pdfplumber.table")

gc.disable()
name_process("pdfmill-forks")
importlib.import_module("pdfmill.transforms.road.document_road")
for _needed in LATER:
    importlib.import_module(_needed)
probe_without_pandas()
importlib.import_module("pdfmill.transforms.language.detect").load_profiles()
gc.freeze()
gc.enable()
