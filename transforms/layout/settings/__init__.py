"""The thresholds of the layout analysis: name, default, unit and reason of each."""
