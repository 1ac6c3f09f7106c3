"""Tuners search for better parameters: `spsa` by the SPSA algorithm, `study` by Optuna.

Optuna stores a database in addition to the outcomes of games. SPSA is computed again from the
outcomes.

This package has its own SPSA because no library is suitable. To tune an engine, both perturbed
settings must play each other, each parameter needs its own gains, and some parameters are integers.
The SPSA of nevergrad 1.0.12 has fixed gains for all parameters, and minimises the loss of a single
setting. This loss would be a match against a third setting, with twice the variance. nevergrad also
depends on scikit-learn and pandas. chess-tuning-tools 0.9.3 runs only chess engines, and needs a
scikit-learn below 0.24, which the supported Python versions cannot install.
"""
