"""Games between settings of the engine: asked for in batches, played somewhere, read back from records.

`engine` and `parameters` are what can be asked, `batch` is one question, `executor` and `ray_executor` have it
answered, the latter by `node`, `record` reads the answer, `state` keeps it on disk, `series` asks until the answer is
sure enough, by the arithmetic of `statistics`. The rules and the games themselves are the engine's affair.
"""
