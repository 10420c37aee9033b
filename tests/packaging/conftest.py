"""What the tests of this room share."""

from tests.packaging.built import bare, built  # noqa: F401
