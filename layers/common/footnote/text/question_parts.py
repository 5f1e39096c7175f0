"""The parts of a question that asks several things: “Who wrote Emil and when was the museum built?”. By patterns, without a model.

Three forms are divided, in English, German and Korean: a list of questions, sentences that each end in a question mark, and clauses
joined by “and”, “und” or a Korean verb in -고. A clause has to be a direct question with words of its own: an interrogative and its verb,
or a verb and its subject. So “capitalism and which other system”, “how and when it began” and “the man who wrote it and who left” stay
whole. The first part has to be clear without the others. Where it is not certain, the question asks one thing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from footnote.text.clauses import CLAUSES, JOINTS_KO, asks_directly, asks_korean, has_interrogative, has_noun_ko, interrogative, is_request
from footnote.text.references import WORD, is_greeting, needs_rewriting
from footnote.text.tokens import content_terms

LONGEST = 1000
"""Characters of a question that is looked at."""
MOST = 5
"""Parts; the last one holds what is left."""
FEWEST_WORDS = {"en": 3, "de": 3, "ko": 2}
"""Of a sentence that asks something of its own."""
QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|»[^«]*«|‘[^’]*’|「[^」]*」|\([^)]*\)")
ASKED = re.compile(r"[?？]+(?=\s|$)\s*")
LINE = re.compile(r"^\s*(?:\(?\d{1,2}[.)]|\(?[a-z]\)|[-*•–])\s+", re.IGNORECASE)
NUMBER = re.compile(r"(?:(?<=\s)|^)\(?(\d)[.)]\s+")
OR = re.compile(r"(?:or|oder|또는|혹은|아니면)\b", re.IGNORECASE)


@lru_cache(maxsize=256)
def question_parts(question: str, lang: str) -> tuple[str, ...]:
    """The parts as they were written, two to MOST; () = it asks one thing."""
    if lang not in FEWEST_WORDS or len(question) > LONGEST or is_greeting(question):
        return ()
    if items := _listed(question):
        parts = items if all(_asks(item, lang) for item in items) else []
    else:
        parts = [part for sentence in _sentences(question, lang) for part in _clauses(sentence, lang)]
    if len(parts) < 2 or not _stands_alone(parts[0], lang):
        return ()
    return tuple(parts if len(parts) <= MOST else [*parts[: MOST - 1], " ".join(parts[MOST - 1 :])])


def _stands_alone(part: str, lang: str) -> bool:
    """Whether it is clear without the others. In Korean two words are a whole clause: “휴가는 며칠이고”."""
    return not needs_rewriting(part, lang) or (lang == "ko" and len(WORD.findall(part)) == FEWEST_WORDS["ko"] and has_noun_ko(part))


def _listed(question: str) -> list[str]:
    """The items of a list, one in each line or numbered from 1; [] = there is none. What stands before it belongs to the first."""
    lines = [line.strip() for line in question.splitlines() if line.strip()]
    at = [number for number, line in enumerate(lines) if LINE.match(line)]
    if len(at) > 1:
        return _led(" ".join(lines[: at[0]]), [LINE.sub("", " ".join(lines[i:j])) for i, j in zip(at, [*at[1:], len(lines)], strict=True)])
    numbers = list(NUMBER.finditer(question))
    if len(numbers) < 2 or [int(found[1]) for found in numbers] != list(range(1, len(numbers) + 1)):
        return []
    ends = [*(found.start() for found in numbers[1:]), len(question)]
    return _led(question[: numbers[0].start()], [question[each.end() : end] for each, end in zip(numbers, ends, strict=True)])


def _led(lead: str, items: Sequence[str]) -> list[str]:
    return [" ".join(f"{lead} {items[0]}".split()), *(" ".join(item.split()).strip(" ,;") for item in items[1:])]


def _sentences(question: str, lang: str) -> list[str]:
    """The sentences that end in a question mark, each with what stands before it. One that asks nothing of its own, such as “And why?”,
    belongs to the one before."""
    text = " ".join(question.split())
    ends = [found.end() for found in ASKED.finditer(_masked(text))]
    made: list[str] = []
    for sentence in (text[start:end].strip() for start, end in zip([0, *ends], [*ends, len(text)], strict=True)):
        if made and (OR.match(sentence) or not (_asks(made[-1], lang) and _asks(sentence, lang))):
            made[-1] = f"{made[-1]} {sentence}".strip()
        else:
            made.append(sentence)
    return made


def _asks(sentence: str, lang: str) -> bool:
    """Whether it is a question or a request with words of its own."""
    words = WORD.findall(sentence)
    if len(words) < FEWEST_WORDS[lang] or not content_terms(sentence, lang):
        return False
    if is_request(words, lang) or _first_question(words, lang) is not None:
        return True
    return sentence.endswith(("?", "？")) and (lang == "ko" or has_interrogative(words, lang))


def _first_question(words: Sequence[str], lang: str) -> int | None:
    """The number of the word with which a direct question begins; None if there is none."""
    return next((at for at in range(len(words)) if asks_directly(words[at:], lang, any_subject=at == 0)), None)


def _clauses(sentence: str, lang: str) -> list[str]:
    """The clauses that each ask something; the whole sentence if there are none."""
    spans = _joints_korean(sentence) if lang == "ko" else _joints(sentence, lang)
    starts, ends = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(sentence)]
    clauses = [sentence[start:end].strip(" ,;") for start, end in zip(starts, ends, strict=True)]
    return clauses if lang == "ko" or len(clauses) < 2 else [_as_question(clause) for clause in clauses]


def _as_question(clause: str) -> str:
    written = clause[:1].upper() + clause[1:]
    return written if written.endswith(("?", "？")) else f"{written.rstrip('.')}?"


def _joints(sentence: str, lang: str) -> list[tuple[int, int]]:
    """Where “and” joins two questions. A comma joins only what an “and” or a semicolon ends."""
    masked, forms = _masked(sentence), CLAUSES[lang]
    found: list[tuple[int, int, bool]] = []
    start = 0
    for joint in forms.joints.finditer(masked):
        left, right = masked[start : joint.start()], masked[joint.end() :]
        if _both_ask(left, right, lang):
            found.append((*joint.span(), joint[0].strip() != ","))
            start = joint.end()
    while found and not found[-1][2]:
        found.pop()
    return [(begin, end) for begin, end, _ in found]


def _both_ask(left: str, right: str, lang: str) -> bool:
    """Whether both are direct questions with words of their own."""
    forms = CLAUSES[lang]
    before, after = WORD.findall(left), WORD.findall(right)
    # “When did it open and is the hall heated?” asks twice, “Who signed and was the first?” does not.
    inverts = bool(before) and before[0].lower() in forms.adverbs | forms.auxiliaries
    if not asks_directly(after, lang, any_subject=inverts) or forms.pairs.search(left):
        return False
    begins = 0 if before and before[0].lower() in forms.things else _first_question(before, lang)
    if begins is None and not is_request(before, lang):
        return False
    asked = interrogative(after, lang)
    if asked and asked in (word.lower() for at, word in enumerate(before) if begins is None or at > begins + 1):
        return False  # “the man who wrote it and who left”
    return bool(content_terms(left, lang) and content_terms(right, lang))


def _joints_korean(sentence: str) -> list[tuple[int, int]]:
    """Where a verb in -고 or “그리고” joins two questions; the verb belongs to the first."""
    masked = _masked(sentence)
    found: list[tuple[int, int]] = []
    start = 0
    for joint in JOINTS_KO.finditer(masked):
        at = joint.end("verb") if joint["verb"] is not None else joint.start()
        if asks_korean(masked[start:at]) and asks_korean(masked[joint.end() :]):
            found.append((at, joint.end()))
            start = joint.end()
    return found


def _masked(text: str) -> str:
    """The text with quotes and what is in brackets as one long name."""
    return QUOTED.sub(lambda found: "X" * len(found[0]), text)
