"""Reviews that stay honest, and documents that stay alive: one tool, two halves on one ground floor."""

__version__ = "0.1.0"
