"""Which words of a question may name a thing that it asks about. The others are its form: “how long”, “compare”, “darf”, “되나요”.

By patterns: in English all words but what asks, participles, adverbs, and verbs behind their subject or “to”; in German those with a
capital, if the question has any within; in Korean words of two syllables that do not end as predicates do. In other languages, whose
forms are not known, only a name within the question counts.
"""

from __future__ import annotations

import re

from footnote.text.answer_types import TYPES
from footnote.text.clauses import ASKING_KO, CLAUSES
from footnote.text.question_shapes import YES_NO
from footnote.text.tokens import WORD

COUNTED = re.compile(r"[\s-]*[^\W\d_]")
"""Behind a number: it counts what follows."""
VERB_OR_ADVERB_EN = re.compile(r"\w{2,}(?:ed|ly)", re.IGNORECASE)
BEFORE_VERB_EN = CLAUSES["en"].pronouns | {"to"}
OPEN_KO = "".join(chr(0xAC00 + 28 * (21 * lead + vowel)) for lead in range(19) for vowel in (0, 1, 4, 6, 9, 10, 14))  # ㅏ ㅐ ㅓ ㅕ ㅘ ㅙ ㅝ
"""The syllables that stems end in before “-도”, “-야”, “-서”: 해도, 써도, 가야."""
PREDICATE_KO = re.compile(rf"\w*(?:[요죠까냐]|니다|시오|히|[는은한된]데|(?<!화)면|[{OPEN_KO}][도야서])")


def things(question: str, lang: str) -> frozenset[str]:
    """The words that may name a thing, as they were written. A number does where it tells things apart, as a year or a version does, not
    where it counts something or is to be compared."""
    words = list(WORD.finditer(question))
    asking = {word for kind in TYPES for found in kind.asked.finditer(question) for word in WORD.findall(found[0])}
    compares = YES_NO.search(question.rstrip("?？!. ")) is not None
    has_capitals = any(found[0][:1].isupper() for found in words[1:])
    kept = set[str]()
    for at, found in enumerate(words):
        word, before = found[0], words[at - 1][0].lower() if at else ""
        if word[0].isdigit():
            counts = compares or COUNTED.match(question, found.end()) is not None or not word.isdigit()
            is_year = word.isdigit() and len(word) == 4 and word.startswith(("19", "20"))
            is_thing = is_year or not counts
        elif lang == "en":
            forms = CLAUSES[lang]
            asks = word.lower() in forms.auxiliaries | forms.adverbs | forms.things | forms.requests or word in asking
            is_thing = not (asks or VERB_OR_ADVERB_EN.fullmatch(word) or before in BEFORE_VERB_EN) or (at > 0 and word[0].isupper())
        elif lang == "de":
            forms = CLAUSES[lang]
            asks = word.lower() in forms.auxiliaries | forms.adverbs | forms.things | forms.requests or word in asking
            is_thing = not asks and (not has_capitals or (at > 0 and word[0].isupper()))
        elif lang == "ko":
            is_request = at + 1 < len(words) and words[at + 1][0].startswith(("줘", "주세", "주시", "주십"))
            is_thing = len(word) > 1 and not (is_request or ASKING_KO.search(word) or PREDICATE_KO.fullmatch(word))
        else:
            is_thing = at > 0 and word[0].isupper()
        if is_thing:
            kept.add(word)
    return frozenset(kept)
