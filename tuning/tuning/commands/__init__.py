"""The commands of `python -m tuning`, one module each: it declares the options and runs the command."""
