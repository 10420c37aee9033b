"""Read pages that are images of text: render them, recognise words by OCR, and measure the words' appearance."""
