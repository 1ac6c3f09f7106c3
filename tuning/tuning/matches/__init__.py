"""Plays games between settings of the engine, in batches, on this machine or on a cluster.

`engine` runs the binary, `parameters` reads its parameters, and `batch` describes a batch of games.
`worker` plays batches on one machine; `executor` and `ray_executor` send batches to it. `outcome`
reads the outcome of a batch and computes statistics, `state` stores outcomes on the disk, and
`match` plays batches until the result is accurate enough.
"""
