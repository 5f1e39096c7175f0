"""What customers say: the voices that a caller may read, counted and grouped into themes.

voice      `Voice`, made from a chunk, and `VoiceFilter`, which chooses some
product    voices that the product itself collects: questions and feedback
rank       voices by how well they fit a query
counts     voices over time, by channel, product, rating or theme
clusters   groups of similar rows of a matrix
vectors    voices as rows of a matrix: by their stored vectors, else by their words
labels     the words that distinguish a group from the others
themes     groups of voices with a label, a trend and examples
service    `Voices`: these for a caller, with what was read kept until the collection changes
"""

from __future__ import annotations
