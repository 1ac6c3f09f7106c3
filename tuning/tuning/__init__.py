"""Asks what Quiver's parameters and playouts are worth, tunes it, and fits the weights of its evaluator.

Games are played, and features computed, by the engine alone; here is decided what to ask it, and told what came out.
`command` and `commands` are the command line. `matches` has games played, here or on a cluster; `experiments` are
curves and sweeps of them, `tuners` look for better parameters, `simulation` lets them work on a cluster that there is
not. `data` and `reports` write reports and tell which of them still hold.

For weights, rows of features become weights and a report: `rows` reads what Rust wrote, `labels` says what is to be
predicted, `model` is the sum that predicts it, `design` and `fit` find its weights, `weight_file` writes and reads
them, `scores` and `baseline` measure, `report` and `plot` tell people.
"""
