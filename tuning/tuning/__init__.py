"""Measures the engine Quiver, tunes its parameters, and trains its evaluator and policy network.

Only the engine, which is written in Rust, plays games and computes features.

`command` and `commands` are the command line. `experiments` reads the list of experiments, and
`measure` runs an experiment. `results` stores results, and tells which of them are stale because
the engine or the experiment has changed. `pages` and `curves` render results. `matches` plays games
on this machine or on a cluster. `tuners` search for better parameters. `policy` trains the network.

For the evaluator's weights, `rows` reads the features that Rust wrote, `fit` finds the weights,
`weight_file` writes them, and `scores` computes training labels, log-loss and accuracy.
"""
