"""`pdfmill serve`: the tables in a browser, with the pages' pictures and their marks."""
