"""Decisions over all pages of a document: statistics, style, headings, furniture."""
