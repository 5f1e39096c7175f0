"""General dictionaries: whether a word exists, used by the collection or not.

The word lists of pyspellchecker. Its own class would need a second and 60 MB; a search in the text of the file takes a millisecond."""

from __future__ import annotations

import gzip
from functools import cache, lru_cache
from importlib.resources import files

LANGUAGES = frozenset({"en", "de", "es", "fr", "it", "lv", "nl", "pt", "ru"})


@lru_cache(maxsize=4096)
def is_word(word: str, lang: str) -> bool:
    """Whether the language's dictionary has the word (letters, in lower case). False for a language without one."""
    return lang in LANGUAGES and f'"{word}":' in _dictionary(lang)


@cache
def _dictionary(lang: str) -> str:
    """One JSON object: word → frequency."""
    return gzip.decompress(files("spellchecker").joinpath("resources", f"{lang}.json.gz").read_bytes()).decode()
