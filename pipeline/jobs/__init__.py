"""Whole jobs: index and export, and Dataflow templates."""
