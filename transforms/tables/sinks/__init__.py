"""Sinks: targets of an export, such as search engines, databases and files. `sink.py` has their interface."""
