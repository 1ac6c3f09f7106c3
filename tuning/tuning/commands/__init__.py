"""What `python -m tuning` can be told, a module a command: each declares its options and does what they say."""
