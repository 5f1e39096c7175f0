"""The kind of a question: its intent and type, the kind of answer, and the things that it names.

Patterns decide the intent. A linear model decides the rest, over the words of a question, their beginnings and ends, and their neighbours.
Its weights are in `question_kinds.bin`, written by `python -m bench.question_kinds --fit`: of each output its bias and the size of a step,
little-endian floats of 4 bytes, then for each slot the weights in steps, signed bytes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import cast, get_args
from zlib import crc32

from footnote.text.answer_types import MONTHS
from footnote.text.names import find_names
from footnote.types import WORDED_LANGUAGES, AskedType, Classification, Entity, EntityKind, Intent, Matrix, QuestionType, Vector

SLOTS = 1 << 13
"""Rows of weights; features that share a slot share them."""
LONGEST = 500
"""Number of characters of a question that are examined."""
OTHER = "other"
"""The answer is none of `AskedType`."""
HEADS: Mapping[str, tuple[str, ...]] = {
    "fact": ("factual", "procedural", "relational", "aggregative", "temporal"),
    "asks": (*get_args(AskedType), OTHER),
    "steps": ("one", "several"),
}
"""The attributes of a question, and their values, each of which has an output. fact: its type, if it asks for a fact."""
OUTPUTS = sum(map(len, HEADS.values()))

OF_INTENT: Mapping[Intent, QuestionType] = {
    "SUMMARY": "aggregative",
    "ANALYTICAL": "relational",
    "COMPARISON": "comparative",
    "LIST": "aggregative",
}

WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")
DATE = re.compile(
    rf"\b\d{{4}}-\d\d(?:-\d\d)?\b|\b\d{{1,2}}\.\s?\d{{1,2}}\.\s?(?:\d{{4}})?|\b(?:\d{{1,2}}\.? )?(?:{MONTHS})\b(?: \d{{1,2}}(?:st|nd|rd"
    rf"|th)?\b)?,?(?: (?:19|20)\d\d\b)?"
    r"|\b(?:19|20)\d\d년(?:\s?\d{1,2}월)?(?:\s?\d{1,2}일)?|(?<!\d)\d{1,2}월(?:\s?\d{1,2}일)?|\b(?:19|20)\d\d\b"
)
NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?:\s?(?:%|€|\$|°C?|percent|Prozent|퍼센트))?")
NAME = re.compile(r"[\"“„«‘]([^\"”“»’]{2,60})[\"”“»’]|(?<![A-Za-z0-9])((?=[\w-]*[A-Z][\w-]*[A-Z0-9])[A-Za-z][A-Za-z0-9-]+)(?![A-Za-z0-9])")
"""A quoted text; or a term with two capitals, or a capital and a digit: an abbreviation, a part number."""


def _any(*patterns: str) -> re.Pattern[str]:
    """Any of these patterns: one for each language."""
    return re.compile("|".join(patterns), re.IGNORECASE)


INTENTS: Mapping[Intent, re.Pattern[str]] = {
    "SUMMARY": _any(
        r"\bsummar(?:y|i[sz]e|ies|i[sz]ing)\b|\boverview\b|\bsum(?:s|med)? (?:\w+ )?up\b|\btl;?dr\b|\b(?:key|main|central"
        r"|important) (?:points?|findings?"
        r"|results?|ideas?|arguments?|messages?|takeaways?|conclusions?|statements?)\b|\bwhat (?:is|was|are|were) .+ about\b|\bgist\b"
        r"|\bin a nutshell\b"
        r"|\brecap\b|\bsynopsis\b|\bwhat (?:did|do|was|were) .*\bdiscuss(?:ed)?\b",
        r"\bfass\w* .*zusammen|\bzusammen(?:zu)?fass|\bzusammengefasst|\büberblick\b|\bübersicht über\b|\bkurzfassung\b|\bkernaussage"
        r"|\bkernpunkte"
        r"|\b(?:wichtigste|zentrale|wesentliche)\w* (?:punkte|ergebnisse|erkenntnisse|aussagen|inhalte)|\bworum (?:geht"
        r"|ging)|\bwovon handelt"
        r"|\bwas (?:wurde|haben) .*(?:besprochen|diskutiert)|\bkurz gesagt\b",
        r"요약|정리해|개요|(?:핵심|중요한|주요) (?:내용|사항|결과|요점|논점|메시지|주장)|요점|무엇에 (?:관한|대한)|뭐에 (?:관한|대한)|간추"
        r"|줄거리|한마디로|논의(?:했|하였|된|되었)",
    ),
    "ANALYTICAL": _any(
        r"\bwhy\b|\breasons? (?:for|why|behind|of)\b|\bcause[sd]?\b|\b(?:affect|influence|impact)(?:s|ed)?\b"
        r"|\beffects? of\b|\bconsequences?\b"
        r"|\bimplications?\b|\b(?:analy[sz]e|evaluate|assess|interpret|justify|discuss)\b|\banalysis of\b|\btrends?\b|\brisks? (?:of|in"
        r"|does|do)\b"
        r"|\bwhat (?:can|could|should|do) (?:we|one|i) learn\b|\bwhat (?:would|will|could) happen\b|\bwhat if\b|\bshould (?:we|i|one)\b"
        r"|\bhow (?:effective|successful|sustainable|likely)\b",
        r"\b(?:warum|wieso|weshalb|weswegen)\b|\bursachen?\b|\bgr(?:und|ünde) (?:für|dafür)\b|\bverursach|\bauswirk"
        r"|\bwirk(?:t|en|te) sich\b"
        r"|\b(?:aus)?wirkungen\b|\beinfluss\b|\bbeeinfluss|\bfolgen (?:hat|haben|von|der|des)\b|\b(?:analysier|bewert|beurteil"
        r"|interpretier)\w*\b"
        r"|\banalyse (?:de[rs]|von)\b|\btrends?\b|\brisik(?:o|en)\b|\bwas (?:würde|könnte|wird) (?:passieren|geschehen)\b|\blernen wir\b"
        r"|\bkönnen wir .*\blernen\b|\bsoll(?:t)?en wir\b|\bwie (?:wirksam|erfolgreich|wahrscheinlich|nachhaltig)\b",
        r"(?<![가-힣])왜(?![가-힣]*곡)|이유|원인(?:[은이을과]|$| )|영향|분석|평가해|위험이|위험은|추이|추세|시사점|배울"
        r"|어떻게 될|(?:하|되)면 어떤 (?:일|결과"
        r"|위험)"
        r"|나을까|좋을까|효과적인",
    ),
    "COMPARISON": _any(
        r"\bcompar(?:e[sd]?|ing|ison|ed)\b|\bdifferences?\b|\bdiffer(?:s|ed|ent from)?\b|\bdistinguish|\bversus\b|\bvs\b|\bpros and cons\b"
        r"|\badvantages and disadvantages\b|\bbetter\b|\b(?!other|rather|whether|either)\w{3,}er than\b|\b(?:more|less) [\w -]+? than\b"
        r"|\bthe same (?:\w+ )?(?:as|way)\b|\bas \w+ as\b(?! possible)|\bchange[sd]? (?:between|from)\b|\bsimilarit|\bin contrast\b"
        r"|\bwhich (?:one )?of the (?:two|three|\w+s)\b|\bwhich is (?:more|less|\w+er)\b",
        r"\bvergl(?:eich|ich)|\bunterschied|\bunterscheide|\bgegenüber(?:stell|\s+\w+)|\bversus\b|\bvs\b|\bvor- und nachteile|\bbesser\b"
        r"|\b\w{4,}er als\b|\b(?:mehr|weniger) (?:\w+ ){0,3}als\b|\b(?:genauso|ebenso|gleich) (?:\w+ )?(?:\w+ )?wie\b"
        r"|\bzwischen .+ und .+ geändert"
        r"|\bwelche[rs]? (?:der|von den|dieser) (?:beiden|zwei|drei)|\bgemeinsamkeiten\b",
        r"비교|차이|다른가|다른지|다릅니까|다른 점|대비해|장단점|장점과 단점|(?:보다|에 비해) .*(?:나은|낫|싼|싸|비싸|좋|빠르|느리|많|적|크"
        r"|작|높|낮|더)"
        r"|중 (?:어느|어떤|무엇|뭐)|중에서? (?:어느|어떤|더)|똑같이|동일하|같은가|사이에 .*(?:바뀌|달라)|공통점",
    ),
    "LIST": _any(
        r"^(?:please )?(?:list|name|enumerate|give|show|tell) (?:me |us )?(?:all|the \w+s\b|\w+ examples|every|some|any|a list)|^list\b"
        r"|^all \w+"
        r"|^(?:in |on |at |for |to |from |by )?which (?:\w+ ){0,2}?\w+(?<!s)s\b(?! (?:is|was|has|does)\b)|^who (?:are"
        r"|were)\b|\bwhich ones\b"
        r"|^what (?:are|were) the (?:\w+ ){0,2}?\w+(?<!s)s\b|^what (?:kinds?|types?|sorts?) of\b|^what (?!is |was |does "
        r"|has )\w+(?<!s)s (?:do|are|were|can|must|did|will)\b"
        r"|^which (?:people|employees|children|data)\b",
        r"^(?:bitte )?(?:liste|nenne|zähle|zeige?|sag)\b .*(?:\balle|\bauf\b|\bdie \w+|\bdrei|\bfünf|beispiele)|^alle \w+"
        r"|\balle \w+en\b.*\b(?:nennen|auflisten)"
        r"|^(?:\w+ )?(?:welche|welchen) (?:\w+ )?\w+(?:(?<!ung)(?<!heit)(?<!keit)(?:en|n|er|s)|e) (?:sind|waren|haben|gibt|brauch|enden"
        r"|beginnen|werden|wird|liefern|muss|müssen"
        r"|kann|können|gelten|hängen|stehen|kommen|\w+en)\b|^welche arten\b|^was sind die\b|^wer sind\b|\bund wenn ja,? welche\b"
        r"|^welchen? \w+en\b.*\w+en\b",
        r"나열|목록|리스트|종류|어디어디|무엇무엇|누구누구|(?:모두|전부|모든|전체) .*(?:알려|찾아|보여|말해|나열|열거)|(?:을|를) (?:모두"
        r"|전부) |예를 .*(?:가지|개)"
        r"|어떤 [가-힣]*(?:들|것들|종류)|어떤 것들|무엇이 있|뭐가 있|뭐뭐|들(?:의 이름)?[을를은이] ?(?:알려|누구|무엇|말해)|들은 (?:누구"
        r"|무엇)|^모든 ",
    ),
}
"""Patterns of the intents; the first that matches counts. A fitted model was worse on the questions of `bench.intents`."""
CONFIDENCE = (0.8, 0.9, 0.6, 0.4)
"""How sure the kind is, by the number of intents whose patterns match."""


def classify(question: str, lang: str) -> Classification:
    """The classification of a question; less than 1 ms. In a language without fitted weights the question is taken to ask for a fact."""
    question = question[:LONGEST]
    entities = tuple(find_entities(question, lang))
    if lang not in WORDED_LANGUAGES:
        return Classification(entities=entities, confidence=CONFIDENCE[0])
    bare = question.strip().rstrip("?？!. ")
    intents: list[Intent] = [intent for intent, pattern in INTENTS.items() if pattern.search(bare)]
    kinds, confidence = kinds_of(question), CONFIDENCE[min(len(intents), len(CONFIDENCE) - 1)]
    is_multi_hop = kinds["steps"]["several"] > kinds["steps"]["one"]
    if intents:
        return Classification(intents[0], OF_INTENT[intents[0]], entities, is_multi_hop, confidence=confidence)
    fact = max(kinds["fact"], key=lambda name: kinds["fact"][name])
    return Classification("FACTUAL", cast("QuestionType", fact), entities, is_multi_hop, confidence=confidence)


def words_of_intent(question: str) -> frozenset[str]:
    """Words that name the task and no thing: “compare”, “fasse … zusammen”, “비교해”."""
    matches = [(match.start(), match.end() - 1) for pattern in INTENTS.values() if (match := pattern.search(question))]
    return frozenset(
        word[0] for word in re.finditer(r"\w+", question) if any(word.start() <= at < word.end() for ends in matches for at in ends)
    )


def asked_type_of(question: str) -> AskedType | None:
    """The kind of answer that a question in any language asks for; None = something else."""
    shares = kinds_of(question[:LONGEST])["asks"]
    best = max(shares, key=lambda name: shares[name])
    return None if best == OTHER else cast("AskedType", best)


@lru_cache(maxsize=64)
def kinds_of(question: str) -> dict[str, dict[str, float]]:
    """For each of HEADS the probability of each value."""
    biases, weights = _weights()
    slots = list(features(question))
    scores = (biases + weights[slots].sum(axis=0) / math.sqrt(len(slots) or 1)).tolist()
    probabilities: dict[str, dict[str, float]] = {}
    for name, values in HEADS.items():
        odds = [math.exp(score) for score in scores[: len(values)]]
        probabilities[name] = {value: share / sum(odds) for value, share in zip(values, odds, strict=True)}
        scores = scores[len(values) :]
    return probabilities


def features(question: str) -> set[int]:
    """The slots of a question's features. Korean words, to which much is joined, are taken apart."""
    words = ["0" if word[0].isdigit() else word for word in WORD.findall(question.casefold())]
    names = [f"w{word}" for word in words]
    for word in words:
        names += [f"<{word[:size]}" for size in range(2, 6) if size < len(word)]
        names += [f">{word[-size:]}" for size in range(1, 5) if size < len(word)]
        names += [f"c{word[at : at + size]}" for size in (2, 3, 4) for at in range(len(word) - size + 1) if word[at] >= "가"]
    names += [f"p{first} {second}" for first, second in pairwise(["^", *words, "$"])]
    for length in (1, 2, 3):
        names += [f"f{length}" + " ".join(words[:length]), f"l{length}" + " ".join(words[-length:])]
    return {crc32(name.encode("utf-8", "replace")) % SLOTS for name in names}


@cache
def _weights() -> tuple[Vector, Matrix]:
    """The bias of each output, and the weights, (SLOTS, OUTPUTS)."""
    import numpy as np

    data = files("footnote.text").joinpath("question_kinds.bin").read_bytes()
    biases, steps = np.frombuffer(data, "<f4", 2 * OUTPUTS).reshape(2, OUTPUTS)
    return biases, np.frombuffer(data, np.int8, offset=8 * OUTPUTS).reshape(SLOTS, OUTPUTS) * steps


def find_entities(question: str, lang: str) -> Iterator[Entity]:
    """The dates, names and numbers of a question, each once."""
    seen: set[str] = set()
    rest = question
    for kind, find in FINDERS:
        for text in find(rest, lang):
            rest = rest.replace(text, " " * len(text))
            if text.casefold() not in seen:
                seen.add(text.casefold())
                yield Entity(kind, text)


def _matches(pattern: re.Pattern[str]) -> Callable[[str, str], list[str]]:
    return lambda question, lang: [match[match.lastindex or 0].strip(" .,") for match in pattern.finditer(question)]


FINDERS: tuple[tuple[EntityKind, Callable[[str, str], Iterable[str]]], ...] = (
    ("name", find_names),
    ("name", _matches(NAME)),
    ("date", _matches(DATE)),
    ("number", _matches(NUMBER)),
)
