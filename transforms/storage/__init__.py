"""Object stores: list the objects of a source, and read and write bytes. This package does not depend on Beam, PDF libraries or layout."""
