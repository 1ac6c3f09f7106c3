"""The commands of `python -m tuning`; each module declares options and runs its command."""
