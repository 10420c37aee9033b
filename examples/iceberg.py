"""The tables of a crawl as Iceberg tables over the same files: run it after each run of the crawl.

The crawl needs `each_table = true` and `mark_deletes = false`.

    pip install 'pyiceberg[sql-sqlite]' deltalake
    python iceberg.py OUTPUT --uri sqlite:///catalog.db --warehouse file:///data/iceberg

OUTPUT is a folder or a bucket of S3. A table's new files are added and those that are gone are taken out in one commit; no row is copied.
`--uri` may be any catalog that pyiceberg knows (REST, Glue, Hive, SQL). The crawl's `vacuum` deletes files `keep_days` after they are
gone: Iceberg's older snapshots can be read as long, and its own clean-up of files must stay off.
"""

from __future__ import annotations

import argparse

import pyarrow.parquet as pq
from deltalake import DeltaTable
from deltalake.exceptions import TableNotFoundError
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.io.pyarrow import parquet_files_to_data_files
from pyiceberg.table import Table, TableProperties

TABLES = ("documents", "pages", "blocks", "sections", "assets", "sources", "changes", "stale")


def opened(catalog: Catalog, name: str, folder: str, files: list[str]) -> Table:
    """The Iceberg table of this name, made where there is none; its columns are found in the files by their names."""
    try:
        return catalog.load_table(("pdfmill", name))
    except NoSuchTableError:
        catalog.create_namespace_if_not_exists("pdfmill")
        path = files[0].removeprefix("file://")
        table = catalog.create_table(("pdfmill", name), pq.read_schema(path), properties={"gc.enabled": "false"})
        with table.transaction() as change:
            change.set_properties({TableProperties.DEFAULT_NAME_MAPPING: table.schema().name_mapping.model_dump_json()})
        return table


def follow(catalog: Catalog, output: str, name: str) -> tuple[int, int]:
    """Bring an Iceberg table to the newest snapshot of the crawl; the numbers of files that were added and taken out."""
    try:
        shown = DeltaTable(f"{output}/table_name={name}")
    except TableNotFoundError:  # no document has had such a row so far
        return 0, 0
    files = [uri if "://" in uri else f"file://{uri}" for uri in shown.file_uris()]
    if not files:
        return 0, 0
    table = opened(catalog, name, output, files)
    known = {task.file.file_path: task.file for task in table.scan().plan_files()}
    new, gone = sorted(set(files) - known.keys()), sorted(known.keys() - set(files))
    if new or gone:
        with table.transaction() as change, change.update_snapshot().overwrite() as snapshot:
            for path in gone:
                snapshot.delete_data_file(known[path])
            for file in parquet_files_to_data_files(table.io, change.table_metadata, iter(new)):
                snapshot.append_data_file(file)
    return len(new), len(gone)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output")
    parser.add_argument("--uri", required=True)
    parser.add_argument("--warehouse", required=True)
    flags = parser.parse_args()
    catalog = load_catalog("pdfmill", uri=flags.uri, warehouse=flags.warehouse)
    for name in TABLES:
        new, gone = follow(catalog, flags.output.rstrip("/"), name)
        print(f"{name}: {new} files added, {gone} taken out")


if __name__ == "__main__":
    main()
