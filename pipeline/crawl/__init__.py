"""Scheduled crawls, which keep tables up to date with their sources: configuration, runs and reports."""
