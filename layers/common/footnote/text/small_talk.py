"""Recognises small talk by patterns: what no document has to be searched for. English, German, Korean."""

from __future__ import annotations

import re

from footnote.text.references import is_greeting

LONGEST = 200
CHAT = re.compile(
    r"(?:(?:hi|hello|hey|hallo|안녕(?:하세요)?)\W+)?(?:"
    r"who are you|what are you|what(?:'s| is) your name|what can you do|what do you do|are you (?:a |an )?(?:bot|robot|human|ai|real|there)"
    r"|how(?:'s it going| are (?:you|things)(?: doing)?(?: today)?| do you do)|what's up|nice to meet you|can you help me"
    r"|(?:please )?tell me (?:a|another) (?:joke|story)|i(?:'m| am) (?:bored|fine|good|okay|ok|happy|sad)|i (?:love|like) you|lol|haha+"
    r"|wer bist du|wer sind sie|was bist du|wie hei(?:ß|ss)t du|was (?:kannst du|können sie)(?: alles)?|bist du (?:ein bot|echt|da)"
    r"|wie geht(?: es|'s|s)(?: dir| ihnen| euch)?(?: heute)?|was geht(?: ab)?|freut mich|kannst du mir helfen"
    r"|erzähl(?:e)? (?:mir )?(?:einen|noch einen) witz|mir ist langweilig|ich (?:mag|liebe) dich"
    r"|(?:넌|너는|당신은)? ?누구(?:야|예요|세요|니|입니까)|이름이 (?:뭐야|뭐예요|무엇입니까)"
    r"|(?:뭘|무엇을|뭐) ?할 수 있(?:어|어요|니|나요|습니까)"
    r"|(?:오늘 )?(?:기분|기분이) ?어때(?:요)?|잘 지내(?:요|니|세요)?|뭐 ?해(?:요)?|(?:재미있는 )?농담(?: 하나)?(?: 좀)? 해 ?(?:줘|주세요)"
    r"|만나서 반가(?:워|워요|습니다)|도와 ?(?:줘|주세요)|심심해(?:요)?|사랑해(?:요)?|ㅋ+|ㅎ+"
    r")[\s.,!?~^:;)(]*",
    re.IGNORECASE,
)
THANKS = re.compile(
    r"\b(?:thank|thx|ty\b|cheers|appreciated|bye|goodbye|see you|danke?|dank\b|tschüs|wiedersehen|bis (?:bald|später|dann)|ciao)"
    r"|감사|고마|고맙|잘 ?가|안녕히",
    re.IGNORECASE,
)

GERMAN = re.compile(
    r"\b(?:hallo|guten?|servus|moin|grüß|grüezi|wie geht|danke?|dank|für|verstanden|prima|toll|klasse|tschüss?|wiedersehen|bis|schönen|wer"
    r"|was|bist|kannst|erzähl\w*|witz|freut|mir|ich)\b",
    re.IGNORECASE,
)
ENGLISH = re.compile(r"\b(?:hello|good|how|thanks?|thank|cheers|bye|see|who|what|tell|are|you|your|it|i)\b", re.IGNORECASE)
KOREAN = re.compile("[가-힣ㄱ-ㅎ]")


def is_small_talk(text: str) -> bool:
    """Whether the text is only a greeting, thanks, a goodbye, or chit-chat."""
    said = " ".join(text.replace("’", "'").split())
    return is_greeting(said) or (len(said) <= LONGEST and CHAT.fullmatch(said) is not None)


def is_thanks(text: str) -> bool:
    """Of small talk: whether it is thanks or a goodbye."""
    return THANKS.search(text) is not None


def language_of(text: str, usual: str) -> str:
    """The language of small talk, which is too short for `text.language`; `usual` where the text does not tell ("Hi")."""
    for lang, words in (("ko", KOREAN), ("de", GERMAN), ("en", ENGLISH)):
        if words.search(text):
            return lang
    return usual
