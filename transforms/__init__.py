"""From documents to rows of tables: read, structure, store; and the steps of Beam that do this."""
