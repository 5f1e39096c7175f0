"""Words and patterns of suggested questions in English, German and Korean: data, and how a question is written from them."""

from __future__ import annotations

import re

READ_WITH_CONSONANT = re.compile(r"(?:[lmnpt013678]|ng|ck)$")
"""Latin words and numbers that end with a consonant when Koreans read them."""
DEFINITIONS = {
    "en": re.compile(
        r"(?:An? (?P<a>(?:[\w-]+ ){0,2}[\w-]+)|The (?P<the>(?:[\w-]+ ){1,2}[\w-]+|[A-Z][\w-]+)) is (?:an?|the|one|what)\b(?! \d)"
    ),
    "de": re.compile(
        r"(?P<article>Eine?|(?:Der|Die|Das)(?= [\w-]+ [A-ZÄÖÜ]| [\w-]{10}| \w+-)) (?P<thing>(?:[\w-]+ )?[A-ZÄÖÜ][\w-]+) ist"
        r" (?:eine?|der|die|das)\b"
    ),
    "ko": re.compile(
        r"(?P<thing>[가-힣]{2,}(?: [가-힣]{2,})?)(?<!에서)(?<!에게)(?<!으로)(?:이?란|[은는]) "
        r"(?!(?:곳|것|사람|경우|때|데)[은는이가을를에도만 ])"
        r"(?:(?!며 |며, |지만|때문|\d ?[천만]* ?[원일회]|있|것).){4,70}(?:이다|입니다|말한다|말합니다)\."
    ),
}
"""Language → a sentence that begins with the thing it defines. One with "the" and a common word depends on what is said before."""
NOT_DEFINED = re.compile(
    r"\b(?:first|second|third|next|last|other|rest|same|result|reason|problem|goal|aim|idea|answer|question|following|only|one|latter|former"
    r"|most|best|erste|zweite|nächste|letzte|andere|grund|ziel|ergebnis|problem|frage|antwort|folge)\b|^(?:이것|그것|다음|결과|이유|문제|목적|여기|오른쪽|왼쪽)",
    re.IGNORECASE,
)
"""What such a sentence begins with when it defines nothing."""
NO_THING = re.compile(r"에서|[에을를] | 것$|(?:하|되|있|없|않|같|지)$")
"""In a subject that is a clause: with an object, or with the end of a verb before what looks like a particle."""
TITLED = {
    "en": re.compile(r"(?P<thing>[A-Z][\w.+-]*(?: [A-Z][\w.+-]*){0,3})(?: \([^)\n]{1,40}\))?,? is (?:an?|the|one)\b"),
    "de": re.compile(r"(?P<thing>[A-ZÄÖÜ][\w.+-]*(?: [A-ZÄÖÜ][\w.+-]*){0,3})(?: \([^)\n]{1,40}\))?,? ist (?:eine?|der|die|das)\b"),
}
"""Language → a sentence that defines a name, if the name is in the document's title."""
_EN = r"(?:(?:about|up to|at least|only|around|from) )?"
_TIME = r"(?:second|minute|hour|day|week|month|year)s?\b"
_EN_TIME = rf"{_EN}(?:(?:\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|half)\b)[\w .,-]{{0,16}}? |an? ){_TIME}"
_DE = (
    r"(?:(?:etwa|rund|bis zu|mindestens|höchstens|nur|ab|ca\.) )?(?:\d|(?:eine?n?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf)\b)"
)
_THING = r"(?P<thing>(?:(?:An?|The) |[A-Z]\w+ing )(?:[\w-]+ ){0,3}[\w-]+|[A-Z]\w+ing)"
_DING = r"(?P<thing>(?:Der|Die|Das|Eine?) (?:[\wäöüß-]+ ){0,2}[A-ZÄÖÜ][\wäöüß-]+)"
_MONEY = (
    r"(?:[$€£¥]\s?\d|\d[\d.,]*(?: (?:thousand|million|billion))? ?"
    r"(?:[€£¥]|(?:US )?(?:dollars?|euros?|pounds?|cents?|yen|won|EUR|USD|GBP|KRW)\b))"
)
_KO = r"(?P<thing>[가-힣]{2,}(?: [가-힣\d]+){0,2})[은는] [^.,\d]{0,12}"
MEASURES = {
    "en": (
        (re.compile(rf"{_THING} costs {_EN}{_MONEY}"), "How much does {thing} cost?"),
        (re.compile(rf"{_THING} (?P<word>take|last)s {_EN_TIME}"), "How long does {thing} {word}?"),
    ),
    "de": (
        (re.compile(rf"{_DING} kostet {_DE}"), "Was kostet {thing}?"),
        (re.compile(rf"{_DING} dauert {_DE}"), "Wie lange dauert {thing}?"),
        (re.compile(rf"{_DING} beträgt (?:[\w ]{{0,30}} )?{_DE}"), "Wie hoch ist {thing}?"),
    ),
    "ko": (
        (re.compile(_KO + r"\d[\d천만억,. ]*원"), "{thing}{은} 얼마인가요?"),
        (re.compile(_KO + r"\d+ ?(?:일|시간|개월|년|명|킬로미터|퍼센트)(?:이며|이고|이다|입니다|,)"), "{thing}{은} 얼마나 되나요?"),
    ),
}
"""Language → (the beginning of a sentence that tells a price, a duration or an amount; the question)."""
_VERBS = (
    "Add|Ask|Back up|Build|Change|Configure|Connect|Create|Debug|Delete|Deploy|Download|Edit|Enable|Execute|Export|Import|Install|Make"
    "|Measure|Move|Remove|Replace|Report|Request|Reset|Restore|Run|Save|Send|Set up|Share|Sign in|Start|Stop|Update|Upgrade|Upload"
    "|Use(?! [Cc]ase)|Write"
)
VERBS = tuple(re.sub(r"\(.*?\)", "", _VERBS).split("|"))
"""Verbs at the beginning of a heading that hardly ever are nouns or adjectives."""
TASKS = {
    "en": re.compile(rf"(?:How to (?P<how>\w+)|(?:{_VERBS})\b)(?!.*\b(?:it|your|this|these|them|again)\b)[^?:.()]{{3,50}}"),
    "de": re.compile(r"[A-ZÄÖÜ][\w-]+(?: [\w-]+){0,4} [a-zäöüß]+(?:en|ern|eln)"),
    "ko": re.compile(r"[가-힣\w ]{2,30}하기"),
}
"""Language → a heading that names something to do."""
TASK_COLUMNS = {
    "en": (frozenset({"task", "i want to", "to do"}), re.compile(r"[a-z][\w ,-]{5,50}")),
    "de": (frozenset({"aufgabe", "ich möchte"}), re.compile(r"[\w ,-]{5,50}n")),
    "ko": (frozenset({"작업", "할 일", "하고 싶은 일"}), re.compile(r"[\w ,-]{3,50}기")),
}
"""Language → (names of a table's first column that names things to do, what a thing to do looks like)."""
HOW_TO = {"en": "How do I {task}?", "de": "Wie kann ich {task}?", "ko": "{task}는 어떻게 하나요?"}
CELLS = {
    "en": "What is the {column} of {row}?",
    "de": "Was ist bei {row} als {column} angegeben?",
    "ko": "{row}의 {column}{은} {what}인가요?",
}
AMOUNTS = re.compile(r"(?:가격|요금|비용|금액|수량|무게|길이|크기|인원|연회비|할인율)")
"""Korean columns whose cells are asked for by “얼마”."""
MANY = {"en": "What are the {column} of {row}?"}
COUNTED = {"en": "How many {column} does {row} have?"}
EXPLAINED = {"en": "What is {row}?", "de": "Was ist {row}?", "ko": "{row}{란} 무엇인가요?"}
"""For columns that explain the row."""
EXPLAINING = re.compile(
    r"(?:meaning|description|definition|explanation|bedeutung|beschreibung|erklärung|erläuterung|definition|설명|의미|뜻|정의)"
)
QUESTION = re.compile(r"[^?？]{8,120}[?？]")
ASKED = re.compile(r"(?:Q|F|Frage|Question|질문|문)\s?\d{0,3}\s?[:.)：]\s*(?P<question>[^?？\n]{8,120}[?？])")
"""A question of a list of questions and answers."""
NUMBERING = re.compile(r"^(?:\d{1,2}(?:\.\d{1,3})*[.)]?|[IVX]+[.)])\s+")
TOPIC = re.compile(r"[^\W\d_][^/\\{}<>|=`_*#@“”„\"]{1,79}")
"""Words only: no paths, code or field names."""
NO_TOPICS = frozenset(
    """introduction overview summary abstract contents toc title section chapter page conclusion
    conclusions references bibliography appendix notes note
    examples example commands questions miscellaneous general other background discussion results acknowledgements acknowledgments
    disclaimer index contact details description usage synopsis authors author copyright license options install installation
    features requirements status faq table figure header footer
    titel kapitel abschnitt seite autor autoren lizenz tabelle abbildung
    einleitung einführung übersicht überblick zusammenfassung inhalt inhaltsverzeichnis fazit literatur literaturverzeichnis anhang hinweise
    hinweis beispiele beispiel fragen allgemeines sonstiges impressum kontakt beschreibung
    개요 서론 소개 요약 목차 차례 결론 참고문헌 부록 비고 예시 기타 질문 일반 설명 옵션 환경 파일 버그 제목 장 절 저자 표 그림""".split()
) | {"table of contents", "see also", "siehe auch", "참고 자료"}
"""Generic headings that make no useful question."""
NUMBERED = re.compile(r"(?:sheet|slide|page|chart|tabelle|folie|seite|diagramm|시트|슬라이드|쪽|차트) ?\d+")
"""Names generated by a program."""


def ask_definition(found: re.Match[str], lang: str) -> str:
    """The question that a match of DEFINITIONS answers."""
    if lang == "en":
        return EXPLAINED["en"].format(row=f"the {found['the']}" if found["the"] else f"{found[0][:2].strip().lower()} {found['a']}")
    if lang == "de":
        return EXPLAINED["de"].format(row=f"{found['article'].lower()} {found['thing']}")
    return EXPLAINED["ko"].format(row=found["thing"], 란=particle(found["thing"], "이란", "란"))


def ask_measure(found: re.Match[str], question: str, lang: str) -> str:
    """The question that a match of MEASURES answers."""
    named = found.groupdict()
    thing = named.pop("thing")
    return question.format(thing=thing if lang == "ko" else thing[0].lower() + thing[1:], 은=particle(thing, "은", "는"), **named)


def ask_cell(column: str, row: str, value: str, lang: str) -> str:
    """The question that a cell of a table answers."""
    if EXPLAINING.fullmatch(column.lower()):
        return EXPLAINED[lang].format(row=row, 란=particle(row, "이란", "란"))
    if lang == "en" and column[1:].islower():
        column = column[0].lower() + column[1:]
    template = CELLS[lang]
    if lang == "en" and re.search(r"[^su]s$", column):
        template = COUNTED["en"] if value.replace(",", "").isdigit() else MANY["en"]
    return template.format(column=column, row=row, 은=particle(column, "은", "는"), what="얼마" if AMOUNTS.search(column) else "무엇")


def particle(word: str, after_consonant: str, after_vowel: str) -> str:
    """The Korean particle for a word, which depends on how its last letter is read; in Latin script that is a rule of thumb."""
    last = word.strip()[-1:]
    if "가" <= last <= "힣":
        return after_consonant if (ord(last) - ord("가")) % 28 else after_vowel
    return after_consonant if READ_WITH_CONSONANT.search(word.strip().lower()) else after_vowel
