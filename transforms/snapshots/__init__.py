"""Snapshots of a crawl: what readers see, what a run plans, and how parts become the next snapshot. Knows no Beam."""
