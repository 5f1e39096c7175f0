"""What customers say: the voices that a caller may read, counted and grouped into themes.

voice      `Voice`, and `VoiceFilter`, which chooses some
read       all voices of a collection, as the caller may read them, and those that the product itself collects
counts     voices over time, by channel, product, rating or theme
clusters   groups of similar rows of a matrix
vectors    voices as rows of a matrix: by their stored vectors, else by their words
themes     groups of voices with a label, a trend and examples
service    `Voices`: these for a caller, with what was read kept until the collection changes
"""

from __future__ import annotations
