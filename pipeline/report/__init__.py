"""`pdfmill report --html`: the result of a run as one HTML file."""
