"""Tests repeat: the same examples each time, none kept on disk."""

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, database=None, deadline=None, max_examples=100)
settings.load_profile("repeatable")
