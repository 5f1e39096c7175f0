"""Whether a question asks what customers say, in English, German or Korean."""

from __future__ import annotations

import re

PATTERNS = (
    re.compile(
        r"\b(?:customers?|clients?|users?|buyers?|reviewers?|people|they)\b[^.?!]{0,40}\b(?:say(?:ing)?|said|complain\w*|think|want|wish\w*"
        r"|like|dislike|hate|love|write|wrote|report\w*|feel|rate[ds]?|mention\w*|criticis\w*|criticiz\w*|prais\w*)\b"
        r"|\b(?:complain(?:ts?|ing)|customer feedback|feedback (?:from|of) (?:customers|users)|reviews?|ratings?"
        r"|voice of (?:the )?customers?|voc"
        r"|pain points?|dissatisf\w+|customer satisfaction)\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:kund(?:e|en|innen|schaft)|nutzer\w*|käufer\w*|leute|anwender\w*)\b[^.?!]{0,40}\b(?:sag\w*|beschwer\w*|mein\w*|wünsch\w*"
        r"|kritisier\w*|schreib\w*|bemängel\w*|bewert\w*|lob\w*|klag\w*|denk\w*|ärger\w*)\b"
        r"|\b(?:sagen|beschweren|meinen|wünschen|schreiben|kritisieren|denken|klagen|ärgern|stört)\b[^.?!]{0,40}"
        r"\b(?:kund\w+|nutzer\w*|käufer\w*|leute)\b"
        r"|\b(?:beschwerden?|reklamation(?:en)?|kundenstimmen?|kundenfeedback|kundenmeinung(?:en)?|rezension(?:en)?|bewertungen"
        r"|kundenzufriedenheit|unzufrieden\w*)\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"불만|불평|고객(?:의)? ?(?:소리|의견|반응|후기|만족|피드백|요구)|고객(?:들)?(?:이|은|들은|들이)|후기"
        r"|리뷰|평점|별점|이용자(?:들)?(?:이|은)|사용자(?:들)?(?:이|은)|VOC"
    ),
)


def asks_for_voices(question: str) -> bool:
    """Whether it asks for opinions, complaints or wishes of customers, rather than for what documents say."""
    return any(pattern.search(question) for pattern in PATTERNS)
