"""ToUnicode maps, written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

#: Entries that a list of a CMap may have (Adobe Technical Note 5014).
_BLOCK: Final = 100


def to_cmap(texts: Mapping[int, str], code_bytes: int) -> bytes:
    """A ToUnicode CMap (ISO 32000-2 §9.10.3) by which codes of so many bytes stand for these texts."""
    entries = [f"<{code:0{2 * code_bytes}X}> <{text.encode('utf-16-be').hex()}>" for code, text in texts.items()]
    space = f"1 begincodespacerange\n<{'00' * code_bytes}> <{'FF' * code_bytes}>\nendcodespacerange\n"
    blocks = [entries[first : first + _BLOCK] for first in range(0, len(entries), _BLOCK)]
    lists = "".join(f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar\n" for block in blocks)
    return f"/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n{space}{lists}endcmap\nend\nend\n".encode()
