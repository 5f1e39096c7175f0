"""What kind of question is asked: its intent, its type, the things it names. By patterns, in English, German and Korean."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from footnote.text.answer_types import MONTHS
from footnote.text.names import find_names
from footnote.text.question_shapes import HOW_TO
from footnote.types import WORDED_LANGUAGES, Classification, Entity, EntityKind, Intent, QuestionType

LONGEST = 500
"""Characters of a question that are looked at."""
CONFIDENCE = (0.8, 0.9, 0.6, 0.4)
"""By the number of intents whose patterns match, none first."""


def _any(*patterns: str) -> re.Pattern[str]:
    """Any of these patterns: one for each language."""
    return re.compile("|".join(patterns), re.IGNORECASE)


REASON = _any(
    r"\bwhy\b|\breasons? (?:for|why|behind|of)\b|\bcause[sd]?\b|\b(?:affect|influence|impact)(?:s|ed)?\b|\beffects? of\b|\bconsequences?\b"
    r"|\bimplications?\b|\b(?:analy[sz]e|evaluate|assess|interpret|justify|discuss)\b|\banalysis of\b|\btrends?\b|\brisks? (?:of|in"
    r"|does|do)\b"
    r"|\bwhat (?:can|could|should|do) (?:we|one|i) learn\b|\bwhat (?:would|will|could) happen\b|\bwhat if\b|\bshould (?:we|i|one)\b"
    r"|\bhow (?:effective|successful|sustainable|likely)\b",
    r"\b(?:warum|wieso|weshalb|weswegen)\b|\bursachen?\b|\bgr(?:und|ünde) (?:für|dafür)\b|\bverursach|\bauswirk|\bwirk(?:t|en|te) sich\b"
    r"|\b(?:aus)?wirkungen\b|\beinfluss\b|\bbeeinfluss|\bfolgen (?:hat|haben|von|der|des)\b|\b(?:analysier|bewert|beurteil"
    r"|interpretier)\w*\b"
    r"|\banalyse (?:de[rs]|von)\b|\btrends?\b|\brisik(?:o|en)\b|\bwas (?:würde|könnte|wird) (?:passieren|geschehen)\b|\blernen wir\b"
    r"|\bkönnen wir .*\blernen\b|\bsoll(?:t)?en wir\b|\bwie (?:wirksam|erfolgreich|wahrscheinlich|nachhaltig)\b",
    r"(?<![가-힣])왜(?![가-힣]*곡)|이유|원인(?:[은이을과]|$| )|영향|분석|평가해|위험이|위험은|추이|추세|시사점|배울"
    r"|어떻게 될|(?:하|되)면 어떤 (?:일|결과"
    r"|위험)"
    r"|나을까|좋을까|효과적인",
)
COMPARISON = _any(
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
)
CHOICE = _any(
    r"^(?:should|is|are|do|does|would|shall)\b.+ or (?!not\b)",
    r"^(?:soll|sollt|ist|sind)\w* .+ oder (?!nicht\b)",
    r"(?:까요|나요|을까|ㄹ까|가요),? .+(?:까요|나요|을까|가요)",
)
"""A question between two things."""
SUMMARY = _any(
    r"\bsummar(?:y|i[sz]e|ies|i[sz]ing)\b|\boverview\b|\bsum(?:s|med)? (?:\w+ )?up\b|\btl;?dr\b|\b(?:key|main|central"
    r"|important) (?:points?|findings?"
    r"|results?|ideas?|arguments?|messages?|takeaways?|conclusions?|statements?)\b|\bwhat (?:is|was|are|were) .+ about\b|\bgist\b"
    r"|\bin a nutshell\b"
    r"|\brecap\b|\bsynopsis\b|\bwhat (?:did|do|was|were) .*\bdiscuss(?:ed)?\b",
    r"\bfass\w* .*zusammen|\bzusammen(?:zu)?fass|\bzusammengefasst|\büberblick\b|\bübersicht über\b|\bkurzfassung\b|\bkernaussage"
    r"|\bkernpunkte"
    r"|\b(?:wichtigste|zentrale|wesentliche)\w* (?:punkte|ergebnisse|erkenntnisse|aussagen|inhalte)|\bworum (?:geht|ging)|\bwovon handelt"
    r"|\bwas (?:wurde|haben) .*(?:besprochen|diskutiert)|\bkurz gesagt\b",
    r"요약|정리해|개요|(?:핵심|중요한|주요) (?:내용|사항|결과|요점|논점|메시지|주장)|요점|무엇에 (?:관한|대한)|뭐에 (?:관한|대한)|간추"
    r"|줄거리|한마디로|논의(?:했|하였|된|되었)",
)
LIST = _any(
    r"^(?:please )?(?:list|name|enumerate|give|show|tell) (?:me |us )?(?:all|the \w+s\b|\w+ examples|every|some|any|a list)|^list\b"
    r"|^all \w+"
    r"|^(?:in |on |at |for |to |from |by )?which (?:\w+ ){0,2}?\w+(?<!s)s\b(?! (?:is|was|has|does)\b)|^who (?:are|were)\b|\bwhich ones\b"
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
)
PROCEDURE = _any(
    r"\bwhat (?:do|should|must|can) (?:i|we|you|one) (?:have to |need to )?do\b|\bprocedure (?:for|to)\b|\bprocess (?:for|to|of)\b"
    r"|\bhow does (?:that|it|this) work\b"
    r"|\bwhere (?:do|can|should|must) (?:i|we|you|one) (?!find|see|get|eat|park)\w+|\bhow (?:is|are|must|shall|should|may) .+\b\w+(?:ed"
    r"|en|t)\b(?<!old)",
    r"\bwas (?:muss|soll|kann|sollte|tue|mache) (?:ich|man|wir)?\b.*\b(?:tun|machen|unternehmen|beachten|wenn|bei)\b|\bwie (?:sind|ist"
    r"|werden|wird) .+(?: zu |\bge)\w+(?:en|t)\b"
    r"|\bwie läuft\b|\bwo (?:muss|kann|soll) (?:ich|man) (?!\w+ (?:finden|parken|essen))|\bwie geht das\b",
    r"어떤 절차|어디(?:에|에서|서|로)? (?:신청|제출|등록|신고|접수)|하기$|순서",
)
TASK_DE = re.compile(r"^[A-ZÄÖÜ][^?,]*\s[a-zäöüß]{3,}(?:en|ern|eln)$")
"""A German task without a question: “Urlaub beantragen”."""
RELATION = _any(
    r"\breports? to\b|\brelationships?\b|\brelat(?:ed|es?|ion) (?:to|with|between)\b|\bconnect(?:ed|ion|ions|s)? (?:to|with|between)\b"
    r"|\blinked (?:to|with)\b"
    r"|\bdepend(?:s|ed|ent)? on\b|\bwork(?:s|ed|ing)? (?:with|together|for)\b|\bbelongs? to\b|\bassociated with\b|\bwhich (?:team"
    r"|department|unit|group|person)"
    r" (?:\w+s|is responsible)\b|\bcorrelat",
    r"\bberichte[tn]?\b|\bzusammenhang|\bhäng(?:t|en) .*(?:zusammen|\bvon\b|\bab\b)|\babhäng|\bbeziehung|\bverb(?:unden|indung)|\bverknüpf"
    r"|\bgehör(?:t|en) zu\b|\bmit .+ (?:zusammen)?gearbeitet|\bwelches? (?:team|abteilung|gruppe|stelle) \w+t\b|\bsteht .* in bezug",
    r"관계|연결|의존|보고하|연관|관련이 있|관련되|함께한|함께 일|소속|어느 (?:팀|부서)",
)
TEMPORAL = _any(
    rf"\bwhen\b|\buntil\b|\bsince\b|\bdeadline|\bhow (?:long|often)\b|\b(?:what|which) (?:year|date|day|month|century)\b|\b(?:in|before"
    rf"|after|since|by) (?:{MONTHS}|(?:19|20)\d\d)\b"
    r"|\b(?:before|after|since|until|by|last|next) .*\b(?:19|20)\d\d\b|\bchronolog|\btimeline\b|\bexpir",
    rf"\bwann\b|\bseit\b|\bfrist\b|\bwie (?:lange|oft)\b|\bwelche[mnsr]? (?:jahr|datum|tag|monat)\b|\b(?:im|vor|nach|seit|bis"
    rf"|ab) (?:{MONTHS}|(?:19|20)\d\d)\b"
    r"|\b(?:vor|nach|seit|bis|ab|geschah|passierte|im jahr) .*\b(?:19|20)\d\d\b|\bchronolog|\bläuft .* aus\b",
    r"언제|기한|마감|며칠(?:까지)?에|몇 ?년도|몇 ?월|얼마나 (?:자주|오래)|기간은 얼마|날짜|연도|\d{4}년(?:도)?(?:에|부터|까지| 이후"
    r"| 이전| 전| \d+월)|이후|이래|년 전",
)
COUNT = _any(
    r"\bhow many .+\b(?:did|were|are there|in total|together|altogether|received|have been)\b|\btotal\b|\baltogether\b|\bon average\b"
    r"|\bnumber of all\b|\bsum of\b",
    r"\bwie viele .+\b(?:gingen|wurden|gibt es|insgesamt|zusammen|gab es|waren|sind)\b|\binsgesamt\b|\bgesamt\w+|\bdurchschnittlich"
    r"|\bsumme (?:der|aller)\b",
    r"모두 몇|총 ?(?:몇|예산|액|수|인원)|전체 .*(?:몇|얼마)|합쳐|합계|총[가-힣]+은|평균",
)
MULTI_HOP = _any(
    r"\b(?:who|which|what|where|when|how)\b.+\w (?:who|whose|whom) \w+",
    r"\b(?:who|which|what|where|when|how)\b.+\b(?:that|which|who|whose|where) (?:\w+ )?(?:\w+(?:ed|s)|has|had|is|was|are|were)\b"
    r"|\band (?:who|what|when|where|why|how|which)\b"
    r"|\bthe \w+ of the \w+ (?:of|that|who|which)\b",
    r"\b(?:wer|was|welche\w*|wo|wann|wie)\b.+, (?:der|die|das|dessen|deren|den|dem) .+|\bund (?:wer|was|wann|wo|warum|wie|welche\w*)\b",
    r"(?:한|된|인|는|던) [가-힣]+(?:의|을|를|이|가) [가-힣]+(?:한|된|던|는) |(?:이며|이고|하고),? (?:누가|언제|어디|왜|무엇|어떻게)",
)

DATE = re.compile(
    rf"\b\d{{4}}-\d\d(?:-\d\d)?\b|\b\d{{1,2}}\.\s?\d{{1,2}}\.\s?(?:\d{{4}})?|\b(?:\d{{1,2}}\.? )?(?:{MONTHS})\b(?: \d{{1,2}}(?:st|nd|rd"
    rf"|th)?\b)?,?(?: (?:19|20)\d\d\b)?"
    r"|\b(?:19|20)\d\d년(?:\s?\d{1,2}월)?(?:\s?\d{1,2}일)?|(?<!\d)\d{1,2}월(?:\s?\d{1,2}일)?|\b(?:19|20)\d\d\b"
)
NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?:\s?(?:%|€|\$|°C?|percent|Prozent|퍼센트))?")
QUOTED = re.compile(r"[\"“„«‘]([^\"”“»’]{2,60})[\"”“»’]")
CODE = re.compile(r"(?<![A-Za-z0-9])(?=[\w-]*[A-Z][\w-]*[A-Z0-9])[A-Za-z][A-Za-z0-9-]+(?![A-Za-z0-9])")
"""A term with two capitals, or a capital and a digit: an abbreviation, a part number."""


def classify(question: str, lang: str) -> Classification:
    """What kind of question this is, by the patterns above; about 2 ms. In a language without patterns a fact is asked for."""
    question = question[:LONGEST]
    if lang not in WORDED_LANGUAGES:
        return Classification(entities=tuple(find_entities(question, lang)), confidence=CONFIDENCE[0])
    asked = question.strip().rstrip("?？!. ")
    intent = intent_of(asked)
    kind = type_of(asked, intent)
    if kind == "factual" and TASK_DE.search(question.strip()):
        kind = "procedural"
    entities = tuple(find_entities(question, lang))
    return Classification(intent, kind, entities, MULTI_HOP.search(asked) is not None, confidence=confidence_of(asked))


def confidence_of(asked: str) -> float:
    """How sure the kind is, 0..1: one pattern of an intent decides best, none leaves a fact, and several compete."""
    signs = sum(pattern.search(asked) is not None for pattern in (SUMMARY, REASON, COMPARISON, LIST))
    return CONFIDENCE[min(signs, len(CONFIDENCE) - 1)]


def intent_of(asked: str) -> Intent:
    """The first of these that matches: a summary, reasons, a comparison, a list; else a fact."""
    if SUMMARY.search(asked):
        return "SUMMARY"
    if REASON.search(asked):
        return "ANALYTICAL"
    if COMPARISON.search(asked):
        return "COMPARISON"
    return "LIST" if LIST.search(asked) else "FACTUAL"


def type_of(asked: str, intent: Intent) -> QuestionType:
    """What has to be found for a question of this intent."""
    if intent == "COMPARISON" or (intent == "ANALYTICAL" and CHOICE.search(asked)):
        return "comparative"
    if intent == "SUMMARY":
        return "aggregative"
    if intent == "ANALYTICAL" or RELATION.search(asked):
        return "relational"
    if TEMPORAL.search(asked):
        return "temporal"
    if intent == "LIST" or COUNT.search(asked):
        return "aggregative"
    return "procedural" if HOW_TO.search(asked) or PROCEDURE.search(asked) else "factual"


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
    return lambda question, lang: [(found[1] if found.lastindex else found[0]).strip(" .,") for found in pattern.finditer(question)]


FINDERS: tuple[tuple[EntityKind, Callable[[str, str], Iterable[str]]], ...] = (
    ("name", _matches(QUOTED)),
    ("name", find_names),
    ("name", _matches(CODE)),
    ("date", _matches(DATE)),
    ("number", _matches(NUMBER)),
)
