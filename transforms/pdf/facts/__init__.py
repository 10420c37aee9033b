"""Read what a document states about itself. Each module covers one feature of the PDF standard."""
