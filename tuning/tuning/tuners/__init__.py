"""Tuners search for better parameters: `spsa` by the SPSA algorithm, `study` by Optuna.

Optuna stores a database in addition to the outcomes of games. SPSA is computed again from the
outcomes.

SPSA is written here because no library fits. The SPSA of nevergrad 1.0.12 has the same fixed gains
for all parameters and minimises single losses, but engines are tuned by matches between both
perturbed settings, with gains for each parameter, and with integers for integer parameters. A
single loss would be a match against a third setting, with twice the variance. nevergrad also
depends on scikit-learn and pandas. chess-tuning-tools 0.9.3 runs only chess engines, and needs a
scikit-learn below 0.24, which the supported Python versions cannot install.
"""
