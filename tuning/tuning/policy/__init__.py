"""Trains the policy network: rows from the engine's games in, a network file for the engine out.

`net` is the architecture, `train` the loop, `net_file` the form that the engine reads. PyTorch is needed here only:
`requirements-policy.lock`.
"""
