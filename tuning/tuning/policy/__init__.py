"""Trains the policy network on the rows of `quiver features --policy`, and writes a network file.

`samples` decodes rows, `net` defines the architecture, `train` is the training loop, and `net_file`
reads and writes network files. Only this package needs PyTorch (`requirements-policy.lock`).
"""
