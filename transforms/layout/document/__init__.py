"""Decide about all pages of a document together: statistics, style, headings, running heads and feet, sections."""
