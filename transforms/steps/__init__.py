"""The steps of the Beam graph, one in each file. Each only calls functions that do not depend on Beam."""
