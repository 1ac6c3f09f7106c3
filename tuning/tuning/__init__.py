"""Measures Quiver, tunes it, and trains its evaluator and policy network; the engine alone plays and computes features.

`command` and `commands` are the command line. `experiments` reads the list of experiments, `measure` runs one,
`results` keeps and judges its result, `pages` and `curves` render it. `matches` plays games, here or on a cluster;
`tuners` look for better parameters.

For weights: `rows` reads what Rust wrote, `fit` has the sum that predicts and finds its weights, `weight_file` writes
them, `scores` has the labels and measures.
"""
