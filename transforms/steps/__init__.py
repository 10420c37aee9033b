"""The steps of the Beam graph, one a file, in the order data flows; each is thin over functions that know no Beam."""
