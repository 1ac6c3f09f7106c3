"""Tuners search for better parameters: `spsa` by the SPSA algorithm, `study` by Optuna.

A run of either tuner stores the outcomes of its games. Optuna also stores its trials in a database.
A continued run of SPSA computes the values of the parameters again from the stored outcomes.

This package has its own SPSA because no library is suitable. To tune an engine, two perturbed
settings must play each other, each parameter needs its own gains, and some parameters are integers.
The SPSA of nevergrad 1.0.12 has fixed gains for all parameters, and minimises a loss of one setting
at a time. To measure the loss, each setting would play a third setting, which doubles the variance
of a comparison. chess-tuning-tools 0.9.3 runs only chess engines.
"""
