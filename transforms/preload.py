"""What every guarded process has imported, imported once by the server that they are forked from (`transforms.isolation`).

Modules leave no garbage: to look for it takes a tenth of the time that they take to import, and what is there when a process is
forked is never looked through again, so that the processes go on sharing it.
"""

from __future__ import annotations

import gc
import importlib

from transforms.isolation import name_process

gc.disable()
name_process("pdfmill-forks")
importlib.import_module("transforms.road")
importlib.import_module("transforms.language").load_profiles()
gc.freeze()
gc.enable()
