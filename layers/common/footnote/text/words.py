"""Word lists of the three languages, and the words of a text that are in none of them."""

from __future__ import annotations

import re

WORD = re.compile(r"[\w'-]+")

STOP_WORDS: dict[str, frozenset[str]] = {
    "en": frozenset(
        """a about above after again all also am an and any are as at be because been before being below between both but by can
        could did do does doing down during each either few for from further had has have having he her here hers him his how i
        if in into is it its itself just me more most my neither no nor not now of off on once only or other our ours out over
        own same she should so some such than that the their theirs them then there these they this those through to too under
        until up us very was we were what when where which while who whom whose why will with would you your yours""".split()
    ),
    "de": frozenset(
        """aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei beim bin
        bis bist da damit dann das dass dasselbe dazu dein deine dem den denn der derer des dessen dich die dies diese diesem
        diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer für gegen gewesen hab
        habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im in indem ins ist jede
        jedem jeden jeder jedes jene jenem jenen jener jenes kann kein keine keinem keinen keiner keines können könnte machen man
        manche mein meine mich mir mit muss nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner
        seines selbst sich sie sind so solche soll sollte sondern sonst um und uns unser unter viel vom von vor war waren warst
        was weg weil weiter welche welchem welchen welcher welches wenn wer werde werden wie wieder will wir wird wirst wo wollen
        wurde wurden während würde würden zu zum zur zwar zwischen über""".split()
    ),
    "ko": frozenset(),
}
"""Too common to be searched for; language detection distinguishes English and German by them."""

QUESTION_WORDS: dict[str, frozenset[str]] = {
    "en": frozenset(
        """much many name names named year kind type does done tell say says please explain describe give list find
        t d ll re ve get gets getting got someone somebody don won isn aren doesn didn wasn weren couldn wouldn shouldn""".split()
    ),
    "de": frozenset(
        """wen wem wann warum wieso woher wohin weshalb wieviel wieviele viele jahr name namen heißt nenne erkläre beschreibe steht
        worum geht gib bitte gibt""".split()
    ),
    "ko": frozenset(
        """무엇 무엇인가 무엇인가요 무엇이 무엇을 누구 누구인가 누구인가요 누가 언제 언제인가 어디 어디에 어디에서 어디서 어디로 어디의
        어디인가 왜 어떻게 어떤 몇 얼마 얼마나 얼마인가 뭐 뭔가 것은 것 은 는 인가 인가요 입니까 습니까
        까 는가 하는가 했는가 무슨 어느""".split()
    ),
}
"""Words that phrase a question and are therefore not expected in its answer."""

INTERROGATIVES: dict[str, frozenset[str]] = {
    "en": frozenset("what when where which who whom whose why how".split()),
    "de": frozenset("wie was wer wann wo warum wieso weshalb woher wohin welche welcher welches welchen welchem".split()),
}
"""Words that begin a question."""
ASKING_KO = tuple("누구 누가 언제 어디 무엇 무슨 왜 어떻게 어떤 몇 며칠 얼마 뭐 뭘 어느".split())
"""The beginnings of Korean words that ask, wherever they stand."""

IRREGULAR: dict[str, str] = {
    form: base
    for base, *forms in (
        entry.split()
        for entry in """
        arise arose arisen, become became, begin began begun, bend bent, bind bound, bite bit bitten, bleed bled, blow blew blown, break
        broke broken, bring brought, build built, burn burnt, buy bought, catch caught, choose chose chosen, come came, creep crept,
        deal dealt, dig dug, draw drew drawn, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel
        felt, fight fought, find found, flee fled, fly flew flown, forbid forbade forbidden, forget forgot forgotten, freeze froze
        frozen, give gave given, go went gone, grow grew grown, hang hung, hear heard, hide hid hidden, hold held, keep kept, know knew
        known, lay laid, lead led, leave left, lend lent, lose lost, make made, mean meant, meet met, pay paid, ride rode ridden, ring
        rang rung, rise rose risen, run ran, say said, see saw seen, seek sought, sell sold, send sent, shake shook shaken, shoot shot,
        show shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat, sleep slept, speak spoke spoken, spend spent, stand
        stood, steal stole stolen, stick stuck, strike struck, swear swore sworn, swim swam swum, take took taken, teach taught, tear
        tore torn, tell told, think thought, throw threw thrown, understand understood, wake woke woken, wear wore worn, win won,
        withdraw withdrew withdrawn, write wrote written, child children, man men, woman women, foot feet, tooth teeth, mouse mice,
        id ids, ad ads""".split(",")
    )
    for form in forms
}
"""Irregular English forms and their base, which no stemmer knows: “sent” and “send” are one word to a search."""

NAMES: dict[str, str] = {"macos": "macos", "ipados": "ipados", "redis": "redis", "windows": "window"}
"""Names in -s and the stem that they have in every language: a German question about Redis finds English documents."""

ABBREVIATIONS: frozenset[str] = frozenset(
    """mr mrs ms dr prof rev hon st jr sr gen col lt sgt capt cmdr adm gov sen rep pres messrs mt ft no nos vol vols pp p fig figs ed eds
    cf vs al etc inc ltd co corp dept est approx ca c e.g i.e a.m p.m u.s u.k u.n d.c ph.d b.a m.a b.sc m.sc u.s.a jan feb mar apr jun
    jul aug sep sept oct nov dec sec ch eq ref
    bzw z.b d.h u.a v.a usw s.o s.u o.ä u.ä ggf evtl inkl exkl zzgl bspw vgl sog nr str hrsg abs art bd dipl ing hl jh jhd jhdt mio mrd
    tsd v.chr n.chr chr z.t i.d.r u.s.w geb gest engl franz lat griech ital russ span dt ursprgl eigtl mind tel kap abb tab ziff""".split()
)
"""Words after which a full stop does not end a sentence."""
OF_MAILS: dict[str, str] = {"en": "mail email message", "de": "Mail E-Mail Nachricht", "ko": "메일 이메일"}
"""What people call a mail."""
OF_SENDING: dict[str, str] = {
    "en": "send sender write author receive recipient arrive come attachment",
    "de": (
        "Absender Empfänger schicken geschickt schickte verschickt senden gesendet versandt schreiben schrieb geschrieben "
        "kam gekommen ging bekam bekommen erhielt erhalten Anhang Anhänge"
    ),
    "ko": "보낸 보냈 받은 받았 왔나 왔습 작성 발신 수신 첨부",
}
"""What they call what its header tells, which says only “From”, “To”, “Date” and “Attachments”."""
QUESTION_MARK = r"(?:(?:Q|Question|F|Frage|문|질문)\s?\d{0,3}\s?[:：]|(?:Q|F|문|질문)\s?\d{1,3}\s?[.)]|Q[.])"
"""Before a question in a text: “Q:”, “Frage 3:”, “질문:”. “F.” alone is an initial."""
ANSWER_MARK = r"(?:(?:A|Answer|Antwort|답|답변)\s?\d{0,3}\s?[:：]|(?:A|답)\s?\d{1,3}\s?[.)]|A[.])"
"""Before its answer."""


def salient_words(question: str, lang: str) -> list[str]:
    """The question's content words as written: without stop words and question words, which in Korean have endings."""
    asks = QUESTION_WORDS.get(lang, frozenset())
    left_out = STOP_WORDS.get(lang, frozenset()) | asks
    begins = tuple(word for word in asks if lang == "ko" and len(word) > 1)
    words = WORD.findall(question.replace("’", "'"))
    return [word for word in words if word.lower().partition("'")[0] not in left_out and not word.startswith(begins)]


def says_nothing(question: str) -> bool:
    """Whether the question has only words that are in the lists of one language: “Why not?”."""
    return any(not salient_words(question, lang) for lang in STOP_WORDS)
