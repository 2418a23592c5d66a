"""`python -m neuralgpu.cli` is `ngpu`."""

from neuralgpu.cli import main

main()
