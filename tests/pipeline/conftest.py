"""Fixtures of the command line's tests."""

from tests.nu import nu_jars  # noqa: F401
