"""The stages of reading a document, and the guarded processes (child processes with limits of time and memory) that run them."""
