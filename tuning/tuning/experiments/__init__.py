"""Experiments with matches, and their reports.

`curve` asks what playouts, time or threads are worth, `sweep` what a parameter does; `charts` draws, `tables` puts
figures into words, `kloetzer` is the literature's answer to compare with.
"""
