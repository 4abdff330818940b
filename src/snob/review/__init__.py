"""Reviews that stay honest: what must be reviewed, what was, and whether it still holds. This half only reads."""
