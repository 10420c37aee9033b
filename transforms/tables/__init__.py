"""Store rows as tables: write Parquet files (parts), lock the output folder, replace the tables of an earlier run (docs/tables.md)."""
