"""Fits the weights of Quiver's evaluator on the engine's own games, and says how good they are.

Games are played, and features computed, by the engine alone (`quiver selfplay`, `quiver features`); here rows of
features become weights and a report. The path through the modules: `rows` reads what Rust wrote, `labels` says what
is to be predicted, `model` is the sum that predicts it, `design` and `fit` find its weights, `weight_file` writes and
reads them, `scores` and `baseline` measure, `report` and `plot` tell people, `command` is the command line.
"""
