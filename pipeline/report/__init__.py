"""`pdfmill report --html`: what a run did, as one file for a browser."""
