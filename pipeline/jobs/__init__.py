"""Whole jobs: an index, an export, the template of a job."""
