"""The shapes: Parquet tables and the records that flow between the steps."""
