"""From documents to rows of tables: reading, layout, storage of tables, and the Beam steps that do this."""
