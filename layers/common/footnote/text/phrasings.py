"""Equivalent phrasings of a question: data, no logic.

Only phrasings that are equivalent in every context belong here. A missing one costs a cache hit; a wrong one gives a wrong answer.
"""

from __future__ import annotations

import re


def _table(flags: re.RegexFlag, *rows: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern, flags), instead) for pattern, instead in rows)


EN_ASKS = r"(?=(?:what|which|who|whom|whose|when|where|why|how)\b)"
DE_ASKS = r"(?=(?:was|welche[mnrs]?|wer|wen|wem|wann|wo|woher|wohin|warum|wieso|weshalb|wie|wie ?viele?)\b)"

EN_ADJUNCT = "in|during|on|at|for|after|before|within|under|with|without|until|since|if"
EN_OPENS = r"(?:what|which|who|whom|whose|when|where|why|how|can|may|must|should|do|does|did|is|are|was|were|will)\b"
EN_VERBS = (
    "what|which|who|whom|whose|when|where|why|how|can|could|may|might|must|should|shall|will|would|do|does|did|is|are|am|was|were|be"
    "|has|have|had|i|you|we"
)
EN_ATTRIBUTES = "price|length|age|height|width|weight|size|colou?r|meaning|duration|frequency|definition|deadline|capacity"
"""Attributes of which a thing has only one: “the length of the hall” equals “the hall length”."""

PHRASINGS: dict[str, tuple[tuple[re.Pattern[str], str], ...]] = {
    "en": _table(
        re.NOFLAG,
        (r"\bcannot\b|\bcan't\b", "can not"),
        (r"n't\b", " not"),
        (r"\b(what|who|where|when|why|how|which|there|it)'s\b", r"\1 is"),
        (r"'re\b", " are"),
        (r"'ve\b", " have"),
        (r"(?<![,\s])[,\s]*+\bplease\b[,\s]*", " "),
        (r"^\s*(?:hi|hello|hey)\b(?: there)?[,.!\s]+", ""),
        (r"(?<![,.!?\s])[,.!?\s]++(?:thanks|thank you)(?: in advance)?[.!\s]*$", ""),
        (r"^\s*(?:(?:can|could|would|will) you )?(?:tell me|explain(?: to me)?|let me know)[,:\s]+" + EN_ASKS, ""),
        (r"^\s*(?:do you (?:happen to )?know|i(?: would|'d) like to know|i (?:want|need) to know|i wonder)[,:\s]+" + EN_ASKS, ""),
        (r"\b(?:possibly|perhaps|exactly|actually|kindly)\s+", ""),
        (r"\b(?:my|our)\b", "the"),
        (r"\b(can|could|do|may|must|should|am|are|have|will|did) we\b", r"\1 i"),
        (r"^\s*((?:" + EN_ADJUNCT + r") [^,?]+), ?(?=" + EN_OPENS + r")([^?]+)", r"\2 \1"),
        (
            r"^\s*i (?:want|need|would like|'d like) to ([^,.?;:]+)[,.;:] *how(?: (?:do|can|should) i(?: do (?:that|it|this))?"
            r"| (?:does|would) (?:that|it|this) work| (?:is|would) (?:that|it|this) done)?[?.\s]*$",
            r"how \1",
        ),
        (r"^\s*(\w+?)ing ([^,?:]+)[:,] *how(?: do i do (?:that|it|this)| does (?:that|it|this) work)?[?.\s]*$", r"how \1 \2"),
        (r"^\s*what is the (?:best |right |usual )?(?:way|procedure) (?:to|for) ", "how "),
        (r"^\s*what (?:do|must) i (?:have to |need to )?do to ", "how "),
        (r"^\s*(?:what is|for what) the reason (?:that |why )?(?!for\b|of\b|behind\b)", "why "),
        (r"^\s*(?:at )?what time\b", "when"),
        (
            r"^\s*(?:is it (?:possible|allowed|permitted|okay|ok)(?: for me)? to|(?:am|are) i (?:allowed|permitted) to|may i|could i)\b",
            "can i",
        ),
        (r"^\s*(?:is|are) (\w+?)ing\b([^?]*?) (?:allowed|permitted|possible)\b([^?]*?)[?.\s]*$", r"can ~\1\2\3"),
        (r"^\s*can i (\w+?)e?\b", r"can ~\1"),
        (r"^\s*(how|where) (?:do|can|could) (?:i|one)\b", r"\1"),
        (r"^\s*where find\b", "where is"),
        (r"^\s*whom?\b (?:do|should) i\b", "who i"),
        (r"^\s*why (?:is|are) ([^?]+?) (\w{3,})ing[?.\s]*$", r"why \1 \2"),
        (r"\bneeded for (\w{3,})ing (?=(?:a|an|the|this|that)\b)", r"needed to \1 "),
        (r"^\s*(?:do i (?:need|require)|is it necessary to have) ([^?]+?)( to| for)\b", r"is \1 needed\2"),
        (r"^\s*(how|where) (?:does one\b|to\b)", r"\1"),
        (r"^\s*how frequently\b", "how often"),
        (r"^\s*(?:how much|what) (?:does|do) (.+?) cost[?.\s]*$", r"what is the price of \1"),
        (r"^\s*what (?:does|do) (.+?) (?:mean|stand for)[?.\s]*$", r"what is the meaning of \1"),
        (r"^\s*(what|which) ([^?]+?) (to|on|in|for|from|with|at|by|about)[?.\s]*$", r"\3 \1 \2"),
        (r"^\s*how long (is|was) ([^?]+?)[?.\s]*$", r"what \1 the length of \2"),
        (r"^\s*how tall (is|was) ([^?]+?)[?.\s]*$", r"what \1 the height of \2"),
        (r"^\s*how many ([\w -]+?) (?:are|is) there\b", r"what is the number of \1"),
        (r"^(\s*where (?:is|are|was|were) .+?) (?:located|situated|kept|stored)[?.\s]*$", r"\1"),
        (r"^\s*(what|who|where|when)( is| are| was| were) the ([\w -]+?)'s? ([\w -]+?)[?.\s]*$", r"\1\2 the \4 of the \3"),
        (r"^(?!.*\b(?:" + EN_VERBS + r")\b)\s*([\w -]+?)[?.\s]*$", r"what is the \1"),
        (r"^\s*what (is|was) the (" + EN_ATTRIBUTES + r") of (?:the |a |an )?([^?]+?)[?.\s]*$", r"what \1 the \3 \2"),
    ),
    "de": _table(
        re.NOFLAG,
        (r"\bwieviel(e?)\b", r"wie viel\1"),
        (r"\be-mail", "email"),
        (r"(?<![,\s])[,\s]*+\bbitte\b[,\s]*", " "),
        (r"^\s*(?:hallo|guten tag|hi)\b[,.!\s]+", ""),
        (r"(?<![,.!?\s])[,.!?\s]++(?:danke|vielen dank)(?: im voraus)?[.!\s]*$", ""),
        (r"^\s*(?:(?:können|könnten) \*?sie mir|(?:kannst|könntest) du mir) (?:sagen|erklären)[,:\s]+" + DE_ASKS, ""),
        (r"^\s*(?:sag(?:en \*?sie)? mir|wissen \*?sie|weißt du|ich (?:möchte|will|würde gerne?) wissen)[,:\s]+" + DE_ASKS, ""),
        (r"\b(?:man|wir)\b", "ich"),
        (r"^\s*(wie|wo) (?:kann|könnte|können|könnten) ich\b", r"\1 ich"),
        (r"\bmöglicherweise\s+|\beigentlich\s+|\bdenn\s+", ""),
        (r"^\s*wie viel kost", "was kost"),
    ),
    "ko": _table(
        re.NOFLAG,
        (r"[을를]?\s*(?:알려|말해|설명해)\s?(?:주세요|주십시오|줘|주시겠어요|주실 수 있나요)[.?!\s]*$", " 무엇"),
        (r"(?:는지|은지|ㄴ지)\s*(?:궁금합니다|궁금해요|알고 싶습니다|알고 싶어요|알려 주세요|알려주세요|알려 줘)[.?!\s]*$", ""),
        (r"어디에서", "어디서"),
        (r"(?:은|는)요[.?!\s]*$", ""),
        (r"(?:합니까|한가요|해요|하죠|해|합니다)[.?!\s]*$", "하"),
        (r"(?:됩니까|돼요|되죠|돼)[.?!\s]*$", "되"),
        (r"(있|없|같)(?:어요|어|습니다|죠)[.?!\s]*$", r"\1"),
        (r"[은는이가]?\s*(?:무엇|뭐|뭔)(?:인가요|입니까|인지요|인가|예요|에요|이에요|죠|가요)?[.?!\s]*$", " 무엇"),
        (r"(?:인가요|입니까|이에요|예요|인가|일까요)[.?!\s]*$", ""),
        (r"(?:나요|습니까|는지요|는가요)[.?!\s]*$", ""),
    ),
}
"""Pattern → replacement, applied in order to lower-case text."""

_SPELLINGS = """
buy purchase | start begin commence | starts begins commences | get obtain | phone telephone | large big | largest biggest
need require | who whom | what which | color colour | center centre | license licence | canceled cancelled | program programme
tyre tire | tyres tires | allowed permitted | mandatory compulsory obligatory | needed required | elevator lift | elevators lifts
exam examination | max maximum | min minimum | kids children | fridge refrigerator | lab laboratory | info information | photo photograph
gray grey | labor labour | km kilometres kilometers | kg kilograms kilogrammes | percent % | and & | a an
is are am | was were | has have | will shall | i me mine
0 zero | 1 one | 2 two | 3 three | 4 four | 5 five | 6 six | 7 seven | 8 eight | 9 nine | 10 ten | 11 eleven | 12 twelve
13 thirteen | 14 fourteen | 15 fifteen | 16 sixteen | 17 seventeen | 18 eighteen | 19 nineteen | 20 twenty | 30 thirty
40 forty | 50 fifty | 60 sixty | 70 seventy | 80 eighty | 90 ninety | 100 hundred | 1000 thousand
1st first | 2nd second | 3rd third | 4th fourth | 5th fifth | 6th sixth | 7th seventh | 8th eighth | 9th ninth | 10th tenth
"""
_SPELLINGS_DE = """
ist sind | war waren | hat haben | prozent % | und & | 0 null | 2 zwei | 3 drei | 4 vier | 5 fünf | 6 sechs | 7 sieben | 8 acht
9 neun | 10 zehn | 11 elf | 12 zwölf | 20 zwanzig | 30 dreißig | 40 vierzig | 50 fünfzig | 100 hundert | 1000 tausend
"""


def _spellings(table: str) -> dict[str, str]:
    groups = [group.split() for line in table.strip().splitlines() for group in line.split("|")]
    return {word: group[0] for group in groups for word in group[1:]}


SPELLINGS: dict[str, dict[str, str]] = {"en": _spellings(_SPELLINGS), "de": _spellings(_SPELLINGS_DE)}
"""Word → the first word of its group."""

ANYWHERE: dict[str, frozenset[str]] = {
    "en": frozenset("what who whose when where why is was did has had will would be been".split()),
}
"""Words whose position does not matter: “what the fee is” asks the same as “what is the fee”."""

PLURAL_ONLY = frozenset(
    """news goods customs arms glasses terms means premises contents savings earnings damages spirits manners minutes rights
    securities papers works directions odds grounds proceeds regards quarters times species series always perhaps previous
    various serious gas bus plus bias lens atlas campus status focus virus bonus census class pass less this its his hers ours
    yours theirs yes was has does is as us thus across towards besides afterwards""".split()
)
"""English words whose final -s is not, or not only, a plural ending."""
SILENT = frozenset("do does".split())
"""English words without meaning of their own."""

NEGATIONS = frozenset(
    """not cannot no never none nobody nothing nowhere neither nor without unless
    nicht kein keine keinen keinem keiner keines keinerlei nie niemals niemand nichts nirgends nirgendwo ohne weder""".split()
)
NEGATED_KO = re.compile(
    r"않|없|못|(?:^|\s)안\s|아니|(?<![가-힣])비(?=가입|거주|공개|공식|과세|과학|급여|금속|논리|대면|대칭|동기|동의|무장|민주|상근|상장|생산|승인|영리|위생"
    r"|윤리|인가|인간|자발|전문|접촉|정규|정상|정형|주류|지정|참여|폭력|표준|필수|합리|합법|해당|허가|현실|협조|활성|회원|효율|흡연)"
)
"""비 is a negation only as a prefix, not in 비용, 비밀번호 or 준비."""
