"""Open a PDF from its bytes with PDFium, recover damaged files with qpdf, and read the tree of objects."""
