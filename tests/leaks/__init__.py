"""Does anybody learn what they may not? A world of documents, groups and people, in which every channel is looked through.

Each document holds words that stand nowhere else. Whatever a person sees that holds one of them, of a document that
they may not read at this moment, is a leak; a document that they may read and do not find is a failure too.
"""
