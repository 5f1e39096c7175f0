"""Permission tests: a world of documents, groups and users in which the output of every channel is searched for leaks.

Each document holds canary words that occur nowhere else. A user who sees a canary of a document that they may not read at
this moment has found a leak. A document that they may read and do not find is a failure too.
"""
