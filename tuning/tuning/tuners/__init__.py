"""Looks for better parameters: `spsa` is the optimiser that engines are usually tuned with, `study` asks Optuna.

Beside the games on disk Optuna keeps its database, SPSA nothing. Going on is playing the same again, from records.

Why `spsa` is written here: nevergrad 1.0.12, looked at and weighed, has an SPSA with fixed gains, for one loss at a
time, where engines are tuned by the match between both perturbed settings, with gains for each parameter, in whole
numbers where the parameter is; and it brings scikit-learn, pandas and three optimisers of others. Its other optimisers
for noise ask for single losses too, which here would be matches against a third setting, at twice the variance.
chess-tuning-tools 0.9.3 drives chess engines through their protocol and wants scikit-learn before 0.24, which no Python
that this package supports can install. Of Optuna, which is kept and light, all is taken as it is.
"""
