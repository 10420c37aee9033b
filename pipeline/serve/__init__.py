"""`pdfmill serve`: search the tables in a browser, and view pictures of the pages with marks."""
