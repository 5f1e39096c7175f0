"""Which words of a question may name a thing that it asks about. The others are its form: “how long”, “compare”, “darf”, “되나요”.

In English and German content words that ask for no kind of thing; in English no participles, adverbs, and verbs behind their subject or
“to”; in German only those with a capital, if the question has any within; in Korean words of two syllables that do not end as predicates
do. In other languages, whose forms are not known, only a name within the question counts.
"""

from __future__ import annotations

import re

from footnote.text.answer_types import TYPES
from footnote.text.tokens import WORD
from footnote.text.words import ASKING_KO, INTERROGATIVES, QUESTION_WORDS, STOP_WORDS

VERB_OR_ADVERB_EN = ("ed", "ly")
BEFORE_VERB_EN = frozenset("i you we he she it they one to".split())
COUNTED = re.compile(r"[\s-]*[^\W\d_]")
"""Behind a number: it counts what follows."""
OPEN_KO = "".join(chr(0xAC00 + 28 * (21 * lead + vowel)) for lead in range(19) for vowel in (0, 1, 4, 6, 9, 10, 14))  # ㅏ ㅐ ㅓ ㅕ ㅘ ㅙ ㅝ
"""The syllables that stems end in before “-도”, “-야”, “-서”: 해도, 써도, 가야."""
PREDICATE_KO = re.compile(rf"\w*(?:[요죠까냐]|니다|시오|히|[는은한된]데|(?<!화)면|[{OPEN_KO}][도야서])")
VERBS = frozenset("may might must shall need compare list show darf dürfen müssen möchte vergleiche zeige".split())
FORM = {lang: STOP_WORDS[lang] | QUESTION_WORDS[lang] | INTERROGATIVES.get(lang, VERBS) | VERBS for lang in STOP_WORDS}


def things(question: str, lang: str) -> frozenset[str]:
    """The words that may name a thing, as they were written. A number does where it tells things apart, as a year or a version does, not
    where it counts something."""
    words = list(WORD.finditer(question))
    asking = {word for kind in TYPES for found in kind.asked.finditer(question) for word in WORD.findall(found[0])}
    names_only = lang not in FORM or (lang == "de" and any(found[0][:1].isupper() for found in words[1:]))
    kept = set[str]()
    for at, found in enumerate(words):
        word, before = found[0], words[at - 1][0].lower() if at else ""
        if word[0].isdigit():
            is_year = word.isdigit() and len(word) == 4 and word.startswith(("19", "20"))
            is_thing = is_year or (word.isdigit() and COUNTED.match(question, found.end()) is None)
        elif at > 0 and word[0].isupper() and lang != "ko":
            is_thing = word not in asking
        elif names_only or len(word) == 1 or word in asking or word.lower() in FORM[lang]:
            is_thing = False
        elif lang == "en":
            is_thing = before not in BEFORE_VERB_EN and not word.endswith(VERB_OR_ADVERB_EN)
        else:
            is_request = at + 1 < len(words) and words[at + 1][0].startswith(("줘", "주세", "주시", "주십"))
            is_thing = lang != "ko" or not (is_request or word.startswith(ASKING_KO) or PREDICATE_KO.fullmatch(word))
        if is_thing:
            kept.add(word)
    return frozenset(kept)
