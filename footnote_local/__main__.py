"""`python -m footnote_local` is the `footnote` command."""

from footnote_local.cli import main

main()
