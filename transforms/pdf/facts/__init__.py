"""Read what a document states about itself, one module for each notion of the standard."""
