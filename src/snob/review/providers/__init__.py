"""Where claims come from: files in the repository, and configured commands."""
