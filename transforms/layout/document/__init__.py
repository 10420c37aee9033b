"""What all pages decide together: statistics, style, headings, furniture."""
