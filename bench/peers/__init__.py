"""Compares Footnote with other systems in one run: the same passages, questions, vectors and stub model for each.

    python -m bench.peers --data-sets FOLDER [--write]

`job.py` is the input of a system, `worker.py` runs one system in its own process, `with_*.py` are the
systems, each used as its documentation shows for hybrid search and a streamed chat.
"""
