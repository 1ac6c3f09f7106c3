"""The commands of `python -m tuning`. Each module declares the options of a command and runs it."""
