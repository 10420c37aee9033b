"""One document's rows as text, Markdown, HTML or JSON: pure functions over the rows of the tables."""
