"""Patterns for references to earlier turns in English and German, and greetings: data for `references.py`, no logic.

The patterns expect text with single spaces and straight apostrophes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


def any_of(*patterns: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """What any of the patterns matches."""
    return re.compile("|".join(patterns), flags)


I = re.IGNORECASE  # noqa: E741
END = r" ?[?.!,]*$"


@dataclass(frozen=True, slots=True)
class LatinPatterns:
    """The patterns of one language in Latin script."""

    expletives: re.Pattern[str]
    """Expressions that only look like references."""
    references: tuple[re.Pattern[str], ...]
    own: frozenset[str]
    """Pronouns that may refer to the subject of their own clause."""
    named: re.Pattern[str]
    """Noun phrases that a later clause may refer to."""
    subject: re.Pattern[str]
    """The subject of the reference's own clause; matched against the text up to and including the reference."""
    boundary: re.Pattern[str]
    """Clause boundaries."""
    asks: re.Pattern[str]
    """The start of a complete question or request."""
    definite: re.Pattern[str]
    """A noun phrase with a definite article."""
    continues: re.Pattern[str]
    """The start of a question that continues the previous one."""


# --- English -------------------------------------------------------------------------------------

_JUDGED = (
    "true|false|possible|impossible|necessary|legal|illegal|lawful|safe|unsafe|dangerous|risky|easy|easier|hard|harder|difficult|common|"
    "normal|usual|unusual|rare|ok|okay|fine|good|bad|better|best|worth|worthwhile|important|essential|advisable|recommended|fair|wise|"
    "smart|reasonable|expensive|cheaper|cheap|mandatory|compulsory|required|permitted|allowed|forbidden|correct|right|wrong|likely|"
    "unlikely|clear|customary|rude|polite|healthy|unhealthy|useful|helpful|feasible|realistic|enough|sufficient|time|best practice|"
    "a good idea|a bad idea|a crime"
)
_AUXILIARY = (
    "do|does|did|don't|doesn't|didn't|is|isn't|are|aren't|was|wasn't|were|weren't|can|can't|could|couldn't|will|won't|would|wouldn't|"
    "should|shouldn't|has|have|had|may|might|must"
)
_PERSON = "i|you|we|he|she|it|they|this|that|these|those|there|one|anyone|someone|everyone|people"
_NAMED = r"\b(?:[Aa]n?|[Tt]he|[Mm]y|[Yy]our|[Oo]ur|[Ss]ome|[Aa]ny|[Ee]ach|[Ee]very|[Nn]o) (?!same\b|other\b)\w+|(?<!^)\b[A-Z]\w+|\bpeople\b"
_PERIOD = "week|month|year|morning|afternoon|evening|weekend|summer|winter|spring|autumn|fall|quarter|season|century|decade"
_CLAUSE = r"(?:to|that|if|for|when|whether|not to|\w+ing) (?=\w+ \w+)"

ENGLISH = LatinPatterns(
    expletives=any_of(
        rf"\bit(?:'s| (?:(?:would|will|can|could|may|might) be|has been|is|was|be|been|becomes?))? (?:\w+ ){{0,2}}?(?:{_JUDGED}) {_CLAUSE}",
        r"\bit (?:(?:will|would|can|could|may|might|does|did|usually|typically|normally|often) )?"
        rf"(?:takes?|took|costs?|helps?|matters?|hurts?|makes? sense|require[sd]?) (?:\w+ ){{0,4}}?{_CLAUSE}",
        r"\bit (?:(?:does|did|will|may|might|would) )?(?:seems?|appears?|turn(?:s|ed)? out|follows|happens?|is said|is known) that\b",
        r"\b(?:who|what|why|how|where|when) (?:is|was) it (?:that|like)\b",
        r"\b(?:does|did|would|is|was) it (?:mean|take|called|known as|considered) (?:for|to|when|if)\b",
        r"^who (?!(?:is|was|are|were|has|had|did|does|do|can|will)\b)(?:\w+ ){1,3}?(?:that )?(?:he|she|they)\b",
        r"\bit (?:\w+ )?(?:rain|snow|hail|freez|thunder)\w*",
        r"\bwhat (?:time|day|date) is it\b",
        r"\bhow is it going\b",
        r"\bit depends on\b",
        rf"\b(?:make|makes|made|making|find|found|finds) it (?:\w+ )?(?:{_JUDGED}) (?:to|for|that)\b",
        r"\bthere(?:'s| (?:is|are|was|were|has|have|will|would|exists?|may|might|can|could|should|must|be|ever|still|already))\b",
        r"\b(?:is|isn't|are|aren't|was|wasn't|were|be|been|will|would|has|have|can|could|may|should|must|hi|hello|hey|out|up) there\b",
        rf"\bthis (?:{_PERIOD})\b",
        r"\bthese days\b",
        r"\bthose (?:who|whose|that|which|with|in|from|under|over|on|at|for|by|near)\b",
        r"\bth(?:at|ose) of\b",
        r"\b(?:so|such|now|given|except|provided|fact|know|mean|means|think|say|says|said|true|sure|ensure|prove|show|shows) that"
        r"(?! ?[?.!]|$)",
        r"\bsuch (?:as|that|an? thing)\b",
        r"\beach other\b",
        flags=I,
    ),
    references=(
        any_of(
            r"\bthis\b",
            r"\bth[eo]se\b",
            r"^that(?:'s)?\b",
            rf"\bthat{END}",
            r"\bthat one\b",
            rf"\b(?:{_AUXILIARY}) that\b",
            r"\b(?:about|of|for|to|with|by|from|in|on|at|after|before|like|than|under|into|over|without|during|besides|do|doing|why|how|"
            r"where|when) that\b",
            r"\bthere\b",
            r"\bsuch\b",
            r"\b(?:which|the|another|other|first|second|third|last|next|\w+er|best|new|old|good|bad|big|small|right|wrong) ones?\b"
            r"(?! (?:of|who|that|which|in|with|from|where)\b)",
            rf"\b(?:get|need|have|buy|use|want|make|find|choose|build|create|apply for|without|be|become|for|of) ones?{END}",
            r"\bthe (?:document|article|text|page|report|file|paper|section|passage|guide|manual|policy|contract|above|answer)\b"
            r"(?! (?:of|on|about|called|named|titled|for|from|by|that|which|with|in|to|between|against|behind|and)\b| ?'| (?-i:[A-Z\d]))",
            rf"\bthe (?:others?|same|rest|two|three|both|differences?|previous|first two|last two){END}",
            r"\bthe (?:former|latter)\b",
            r"\b(?:what|who|where|how|why|anything|something|anyone|someone|nothing|anywhere|everything) else\b(?! than)",
            rf"\b(?:instead|as well|either|too|again|afterwards|otherwise){END}",
            r"\b(?:more|another|other|further|an?|any|some|the) "
            rf"(?:details?|info|information|examples?|specifics|reasons?|options?|alternatives?){END}",
            rf"\b(?:tell me|say|explain|know|hear|learn|read) (?:(?:a|some|any) (?:bit|little) )?more{END}",
            r"\bi mean?t?\b",
            r"\bi(?:'m| am| was) (?:asking|talking|referring)\b",
            r"^(?:no|yes|yeah|yep|nope|sure|right|exactly)\b",
            r"\b(?:what|how) about\b",
            r"^what of\b",
            r"\bwhat if (?:not|so)\b",
            rf"^(?:(?:and|or|but) )?(?:why|how|since|if) (?:so|not|come|when){END}",
            flags=I,
        ),
        re.compile(r"\b(?!IT\b)(?i:it|its|it's|itself|they|them|theirs?|themselves|he|him|his|himself|she|hers?|herself)\b"),
    ),
    own=frozenset("its itself their theirs themselves his himself her hers herself".split()),
    named=re.compile(_NAMED),
    subject=any_of(rf"(?:{_NAMED})(?! of \w+$)", rf"(?i:\b(?:{_AUXILIARY}) (?!(?:{_PERSON}|not)\b)[a-z][\w-]+ )"),
    boundary=any_of(
        r"[,;:.?!]",
        r"\b(?:and|or|but|so|when|if|because|after|before|while|once|until|since|although|though|that|which|who|as|where|than|then)\b",
        flags=I,
    ),
    asks=any_of(
        rf"^(?:who|whom|whose|what|which|when|where|why|how|{_AUXILIARY}|am)\b",
        r"^(?:name|list|define|explain|describe|compare|tell|give|show|find|summari[sz]e)\b",
        r"'s\b",
        flags=I,
    ),
    definite=re.compile(r"\b[Tt]he [a-z]"),
    continues=re.compile(r"^(?:ok(?:ay)?,? |so,? )?(?:and|or|but|so|then|also|plus|only|even|just|same|else)\b", I),
)


# --- German --------------------------------------------------------------------------------------

_PARTICLES_DE = "ab|an|auf|aus|ein|fest|frei|hoch|los|mit|nach|raus|rein|runter|um|vor|weg|weiter|zu|zurück|zusammen|fort|her|hin"
"""What most separable verbs leave at the end of a sentence."""
_JUDGED_DE = (
    "möglich|unmöglich|wahr|richtig|falsch|nötig|notwendig|erlaubt|verboten|legal|illegal|zulässig|strafbar|sinnvoll|schwer|schwierig|"
    "leicht|einfach|gut|besser|schlecht|wichtig|gefährlich|sicher|üblich|normal|teuer|billiger|günstiger|ratsam|empfehlenswert|gesund|"
    "schädlich|bekannt|klar|pflicht|zwingend|erforderlich|vorgeschrieben|ausreichend|schlimm|zeit"
)
_PERIOD_DE = "Jahr\\w*|Woche|Monats?|Sommers?|Winters?|Quartals?|Tage[ns]?|Abend|Morgen|Wochenende|Zeit"
_MODAL_DE = "kann|könnten?|können|darf|dürfte|dürfen|muss|müssen|müsste|soll|sollen|sollten?|will|wollen|möchten?|werden?|würden?"
_ADVERB_DE = (
    "allein|auch|denn|direkt|eigentlich|einfach|einmal|jetzt|kostenlos|mal|nachträglich|nicht|noch|nur|online|rückgängig|schon|selber|selbst|"
    "sofort|später|trotzdem|überhaupt|vorher|wieder"
)
_BARE_DE = r"\b(?:ich|man|wir) (?:das|den|die)"  # a pronoun where no noun follows
_NOUN_DE = r"(?<!^)\b(?!Sie\b|Ihn?en\b|Ihre?[mnrs]?\b)[A-ZÄÖÜ][\w-]+"

GERMAN = LatinPatterns(
    expletives=any_of(
        r"\b(?:gibt|gab|gäbe|geben|gegeben|handelt|handelte|geht|ging|kommt|kam|hängt|regnet|regnete|schneit|schneite|hagelt|donnert) es\b",
        r"\bes (?:\w+ ){0,3}?(?:gibt|gab|gäbe|geben|handelt|kommt|hängt|regnet|regnen|schneit|schneien|hagelt|donnert)\b",
        r"\bes (?:sich )?um\b",
        r"\bwie spät ist es\b",
        r"\blohnt es sich,? (?:\w+,? )+?(?=zu \w+n\b|\w+zu\w+n\b)",
        rf"\bes (?:\w+ ){{0,2}}?(?:{_JUDGED_DE}),? "
        r"(?=(?:dass|ob|wenn|etwas|eine?\w?|der|die|das|den|dem|mit|in|im|von|für|auf|an|ohne|mehr)\b|\w+ (?:\w+ )?zu \w+)",
        r"\b(?:ist|war|wäre|wird) es (?:so|der Fall), dass\b",
        r"\bes(?: \w+){0,4}?,? (?:dass|bis|wenn|ob) (?=\w+ \w+)",
        r"\b(?:da|hier)r?(?:an|auf|aus|bei|durch|für|gegen|in|mit|nach|über|um|unter|von|vor|zu)(?: \w+){0,2},? "
        r"(?=(?:dass|ob|wenn|wie|wann|wer|wen|was|wo|warum|wieso|welche\w?)\b|(?:\w+ ){1,6}zu \w+n\b)",
        r", damit\b",
        r"\bdamit (?:ich|man|wir|eine?|der|die|das|meine?|unsere?)\b",
        rf"\bdies\w* (?:{_PERIOD_DE})\b",
        r"\b(?:können|könnten|würden|wollen|mögen) sie (?=(?:mir|uns|bitte|einmal|mal)\b)",
        r"\b(?:könnt|habt|seid|wollt|macht|bietet|nehmt|kennt|wisst|dürft|müsst|sollt|werdet|könntet|verkauft|liefert) ihr\b",
        r"\bdas heißt\b",
        flags=I,
    ),
    references=(
        any_of(
            r"\b[Dd]ies(?:e[mnrs]?)?\b",
            r"\b[Jj]ene[mnrs]?\b",
            r"\b[Ss]olche?[mnrs]?\b",
            r"\b[Ss]o (?:etwas|was|eine?\w?)\b",
            r"\b[Dd]ort(?:hin|her)?\b",
            r"\b[Dd]ahin\b",
            rf"\bda{END}",
            r"\bvon da\b",
            r"\b(?:[Dd]a|[Hh]ier)r?(?:an|auf|aus|bei|durch|für|gegen|in|mit|nach|über|unter|von|vor|zu)\b",
            r"\b[Ss]tattdessen\b",
            r"\b[Dd](?:er|ie|as|en|em)selben?\b",
            r"\b(?:erstere|letztere)[mnrs]?\b",
            rf"\b(?:der|die|den|dem|denen|das|dies|welche[nrs]?|beides?|beiden?|andere[nrs]?){END}",
            rf"\b(?:der|die|das|den|dem) (?:beiden|zweiten?|ersten?|anderen?|letzten?|gleichen?|obigen?){END}",
            r"\b[Dd]as (?:ist|war|wäre|hat|hatte|wird|wurde|kann|soll|muss|darf|gilt|geht|bedeutet|kostet|funktioniert|macht|passiert|sein|"
            r"auch|genau|denn|so|nicht|jetzt|und|oder|bei|mit|im|auf|am|ohne|eigentlich|überhaupt|noch|schon|immer|alles|konkret|nur|"
            r"wirklich|dann)\b",
            r"\b[Dd](?:em|as|er|en|es|ie) (?:Dokuments?|Artikels?|Textes|Text|Seite|Berichts?|Datei|Abschnitts?|Absatz|Absatzes|Handbuchs?|"
            r"Vertrags?|Anleitung|Richtlinie|Antwort|Obigen?)\b(?! (?:über|zu|zum|zur|von|vom|für|mit|des|der|aus|auf|in|im|an|am|zwischen|"
            r'namens|gegen)\b| [A-ZÄÖÜ\d„"]|, (?:der|die|das)\b)',
            rf"\b(?:mehr|weitere[ns]?|(?:(?:mehr|weitere|ein|noch ein) )?(?:Informationen|Angaben|Beispiele?|Einzelheiten|Details)){END}",
            rf"\b(?:noch|sonst|außerdem|auch|ebenfalls|wieder|trotzdem|ansonsten){END}",
            r"\b(?:[Ww]as|[Ww]er|[Ww]o|[Ww]ie) (?:noch|sonst)\b",
            r"\b[Ii]ch meinte?\b",
            r"^(?i:nein|ja|genau|richtig|doch)\b",
            r"\b(?i:was ist (?:denn )?mit)\b",
            r"\b(?i:wie (?:sieht|sähe|ist|war|wäre|steht) es (?:\w+ ){0,2}(?:mit|bei|in|im|für|um|aus|zu))\b",
            rf"{_BARE_DE} (?:{_ADVERB_DE})\b(?! (?:[a-zäöüß]+ )?[a-zäöüß]+e[mnrs]? [A-ZÄÖÜ])",
            rf"{_BARE_DE} (?:{_PARTICLES_DE}){END}",
            rf"(?i:\b(?:{_MODAL_DE})) {_BARE_DE} (?:[a-zäöüß]+e[lr]?n|tun)(?: lassen)?{END}",
            rf"^(?i:(?:(?:und|aber|oder) )?(?:warum|wieso|weshalb|inwiefern|seit wann|wie|wann|wozu)(?: (?:nicht|denn|genau))?){END}",
        ),
        any_of(
            r"\b(?:[Ee]r|sie|[Ee]s|[Ii]hn|[Ii]hm|ihnen|ihr|ihre[mnrs]?|[Ss]eine[mnrs]?|sein(?= [A-ZÄÖÜ])|[Dd]essen|deren)\b",
            r"^(?:Sie|Ihre?) (?=(?:ist|war|hat|hatte|wurde|wird|kann|konnte|soll|muss|sind|waren|haben|wurden)\b)",
        ),
    ),
    own=frozenset("ihr ihre ihrem ihren ihrer ihres sein seine seinem seinen seiner seines".split()),
    named=re.compile(_NOUN_DE),
    subject=re.compile(rf"(?<!elche )(?<!elche[nrs] ){_NOUN_DE}\b(?= )(?! (?:ihre|seine)[rs]$)"),
    boundary=any_of(
        r"[,;:.?!]",
        r"\b(?:und|oder|aber|wenn|falls|weil|nachdem|bevor|während|sobald|bis|seit|obwohl|dass|wo|als|denn|sondern)\b",
        flags=I,
    ),
    asks=any_of(
        r"^(?:wer|wen|wem|wessen|was|welche[mnrs]?|wann|wo|woher|wohin|warum|wieso|weshalb|wie|wieviele?|worüber|woran|womit|wofür|wovon)\b",
        r"^(?:ist|sind|war|waren|hat|haben|kann|können|darf|dürfen|muss|müssen|soll|sollen|wird|werden|wurde|gibt|gab)\b",
        r"^(?:erkläre|beschreibe|nenne|zeige|vergleiche|fasse|liste)\b",
        flags=I,
    ),
    definite=re.compile(r"\b[Dd](?:er|ie|as|en|em) [A-ZÄÖÜ][a-zäöüß]"),
    continues=re.compile(r"^(?:ok(?:ay)?,? |na |also,? )?(?:und|oder|aber|also|dann|auch|nur|sogar|sonst|außerdem|ebenso)\b", I),
)


# --- greetings -----------------------------------------------------------------------------------

_GREETINGS = """
    hi|hello|hey|hi there|hello there|hey there|greetings|good morning|good afternoon|good evening|good night|good day|how are you
    thanks|thank you|thx|ty|many thanks|thanks a lot|thanks so much|thank you so much|thank you very much|cheers|much appreciated
    for your help|for the help|for that|for your answer|oh|ok|okay|great|perfect|nice|cool|awesome|excellent|wonderful|good|well
    got it|i see|understood|good to know|that helps|that's all|that is all|that's helpful|that was helpful|very helpful
    no thanks|no thank you|bye|goodbye|good bye|see you|see you later|have a nice day|have a good day|you too

    hallo|guten tag|guten morgen|guten abend|gute nacht|servus|moin|grüß gott|grüezi|wie geht es dir|wie geht's|wie geht es ihnen
    danke|danke schön|dankeschön|vielen dank|besten dank|herzlichen dank|danke sehr|tausend dank|für die hilfe|für ihre hilfe
    für deine hilfe|für die antwort|alles klar|verstanden|super|prima|gut|sehr gut|toll|klasse|das war alles|das ist alles|das hilft
    das hat geholfen|gut zu wissen|nein danke|tschüss|tschüs|auf wiedersehen|bis bald|bis später|bis dann|ciao
    schönen tag|schönen tag noch|einen schönen tag|einen schönen tag noch

    안녕|안녕하세요|안녕하십니까|반가워요|반갑습니다|좋은 아침|좋은 아침이에요|여보세요|감사|감사합니다|감사해요|고마워|고마워요|고맙습니다
    정말|너무|네|예|아|오|도움이 됐어요|도움이 되었습니다|도와주셔서|답변|알겠습니다|알겠어요|알았어요|알았어|좋아요|좋습니다|완벽해요
    그게 다예요|그게 전부예요|괜찮습니다|괜찮아요|잘 가|잘 가요|안녕히 계세요|안녕히 가세요|수고하세요|수고하셨습니다|또 봐요|다음에 봐요
    좋은 하루 되세요|좋은 하루 보내세요
"""
GREETING = re.compile(
    "(?:(?:"
    + "|".join(
        re.escape(phrase).replace(r"\ ", r"[\s,]+")
        for phrase in sorted(
            (phrase for line in _GREETINGS.split("\n") for phrase in line.strip().split("|") if phrase), key=len, reverse=True
        )
    )
    + r")(?:[\s,.!?;:~^)(-]|$)++)++",
    I,
)
