"""Footnote beside other systems, in one run: the same passages, questions, vectors and stub model for each.

    python -m bench.peers --data-sets FOLDER [--write]

`job.py` is what a system gets, `worker.py` runs one system in a process of its own, `with_*.py` are the
systems: each in the way that its own documentation shows for hybrid search and a streamed chat.
"""
