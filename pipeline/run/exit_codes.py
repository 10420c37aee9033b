"""Exit codes of the commands (docs/commands.md)."""

from __future__ import annotations

from typing import Final

EXIT_OK: Final = 0
EXIT_SOME_FAILED: Final = 1
EXIT_NOTHING_DONE: Final = 2
EXIT_JOB_ENDED: Final = 3
EXIT_DELETES_WITHHELD: Final = 4
EXIT_CONFLICT: Final = 5
EXIT_LOCKED: Final = 6
EXIT_INTERRUPTED: Final = 130
