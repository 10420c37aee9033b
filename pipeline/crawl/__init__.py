"""Scheduled crawls: configuration, runs and reports."""
