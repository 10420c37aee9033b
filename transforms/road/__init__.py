"""The stages of reading a document (read, measure, describe, structure), and the guarded processes that run them."""
