"""Open a document from its bytes: PDFium, recovery by qpdf, the object tree."""
