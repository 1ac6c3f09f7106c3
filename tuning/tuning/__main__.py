"""The entry point of `python -m tuning`, which runs the command line."""

import sys

from tuning.command import main

if __name__ == "__main__":
    sys.exit(main())
