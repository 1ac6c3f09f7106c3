"""Games between settings of the engine: asked for in batches, played somewhere, read back from records.

`engine` and `parameters` are what can be asked, `batch` is one question, `executor` and `ray_executor` have it
answered, the latter by `node`, `outcome` reads the answer, `state` keeps it on disk, `series` asks until the answer is
sure enough. The rules, the games and the arithmetic of Elo are the engine's affair.
"""
