"""`python -m neuralgpu`: the `ngpu` command."""

from neuralgpu.cli import main

if __name__ == "__main__":
    main()
