"""Object stores: list the objects of a source, and read and write bytes. This room knows no Beam, no PDF and no layout."""
