"""`python -I -m snob`, the same as the console script `snob`."""

from snob.cli.main import run

run()
