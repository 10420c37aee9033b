"""The steps of the Beam graph, one in each file, in the order of the data flow. Each is thin over functions without Beam."""
