"""The programs of pdfmill: options, jobs, the Beam graph and commands."""
