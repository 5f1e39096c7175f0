"""How does a document get into the index?"""
