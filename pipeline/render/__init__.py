"""One document's rows in the formats of `pdfmill show`: pure functions over the rows of the tables."""
