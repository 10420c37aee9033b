"""Settings for writing the tables of a job."""

from __future__ import annotations

from msgspec import Struct, field

from pdfmill.transforms.storage.access import Stores


class WriteSettings(Struct, frozen=True):
    """output_uri: folder of the tables. part_prefix: of the part names. shards: parts per table, at least 1.

    table_folder: name of a table's folder, with `{table}` in it. max_part_bytes: a part that grows beyond goes on in a further file, so
        that the memory of whoever writes it has a bound; None where a part has to be one file, as in a crawl. stores: how they are
        asked.
    """

    output_uri: str
    part_prefix: str = "part"
    shards: int = 1
    table_folder: str = "{table}"
    max_part_bytes: int | None = None
    stores: Stores = field(default_factory=Stores)
