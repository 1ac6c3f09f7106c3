"""Entry point of `python -m tuning`."""

import sys

from tuning.command import main

if __name__ == "__main__":
    sys.exit(main())
