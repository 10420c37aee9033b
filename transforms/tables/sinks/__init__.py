"""Sinks: where rows of the tables go beside Parquet, to search engines, databases and files of lines. `sink.py` is the door."""
