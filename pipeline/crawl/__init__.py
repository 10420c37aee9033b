"""Scheduled crawls: their configuration, their runs, what they report."""
