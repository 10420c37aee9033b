"""The road of a document: read, measure, describe, structure; and the guarded processes that walk it."""
