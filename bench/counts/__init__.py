"""The gate for speed: counts the work of an answer, a search, a passage and an import, since times vary from run to run.

python -m bench.counts                    every counter beside its bound
python -m bench.counts --write            new bounds in bounds.json, for this minor version of Python
python -m bench.counts --top ask_stream   the functions that are called most in a scene
"""
