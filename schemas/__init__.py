"""Data definitions: the Parquet tables, and the records that flow between the steps."""
