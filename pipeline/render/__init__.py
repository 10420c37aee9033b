"""Convert the rows of one document to the formats of `pdfmill show`, by pure functions."""
