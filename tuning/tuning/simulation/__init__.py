"""Tuners on a simulated cluster: no engine plays, and time passes only in the simulation.

`surface` is a synthetic strength with its best settings known, `cluster` are workers with batch times like real ones,
`runs` lets the tuners work there.
"""
