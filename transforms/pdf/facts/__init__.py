"""What a document states about itself, a file for each notion of the standard."""
