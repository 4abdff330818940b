"""Builders that tests are told with."""
