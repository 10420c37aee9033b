"""Bytes to a document: opening, recovery, the object tree, PDFium."""
