"""Patterns for references to earlier turns in Korean: data for `references.py`, no logic.

The patterns expect text with single spaces.
"""

from __future__ import annotations

import re

from footnote.text.reference_patterns import any_of

_BEFORE, _AFTER = r"(?:^|[\s\"'(])", r"(?=[\s?.!,\"')]|$)"
_PARTICLES = (
    "(?:은|는|이|가|을|를|의|에|도|와|과|로|으로|에서|에게|까지|부터|만|보다|처럼|이란|란|에는|에도|들|들은|들이|들을|들의|마다|인가요|인가|"
    "이에요|예요|입니까|요){0,4}"
)

KO_EXPLETIVES = any_of(
    r"그때그때",
    r"그 ?자체",
    r"이 ?세상",
    rf"{_BEFORE}그 ?해 ?(?=\d)",
    r"이런저런",
    r"이것저것",
    r"여기저기",
    r"그런대로",
    r"그 ?(?:무엇|누구|어떤|어느)",
)
KO_REFERENCES = any_of(
    rf"{_BEFORE}[그이저] (?=[가-힣A-Za-z])",
    rf"{_BEFORE}(?:[그이저](?:것|거|분|들|곳|쪽|중)|그녀|거기|저기|그때|그날|전자|후자){_PARTICLES}{_AFTER}",
    rf"{_BEFORE}(?:[그이저](?:게|건|걸)|거긴|거길|거기서|그는|그가|그의|그를|그에게|그와|그도|이는|이를|이에|이와|[그이](?:럴|런|러한|렇게)|저런){_AFTER}",
    rf"{_BEFORE}(?:그래서|그래도|그래요|그렇지만|그렇다면|그러면|그러니까|그럼에도)(?:도|는|요|서)?{_AFTER}",
    rf"{_BEFORE}(?:해당|위|위의|앞의|앞서|방금|아까|상기|같은) (?=[가-힣])",
    rf"{_BEFORE}[둘셋] ?(?:다|중|의|은|이|을|사이|모두)",
    rf"{_BEFORE}(?:나머지|다른 ?(?:것|거|건|점|예|방법|사람)){_PARTICLES}{_AFTER}",
    rf"{_BEFORE}(?:좀 ?|조금 ?)?더 (?:자세히|구체적으로|알려|설명|있|말해)",
    r"^(?:자세히|구체적으로|예를|예시)",
    r"^(?:또|당시) ",
    r"(?:또|다른) ?(?:있나요|있어요|있습니까|뭐|무엇|어떤)",
    rf"{_BEFORE}그 ?(?:밖|외)",
    r"^(?:아니요|아니오|아니|네|예|맞아요|맞습니다)[\s,.]",
    r"제 ?말은",
)
KO_NAMED = re.compile(r"[가-힣A-Za-z\d]{2,}(?:은|는|이|가|을|를|란|에서|에|의|와|과|로)\s")
KO_BOUNDARY = re.compile(r"[,;:.?!]|(?:고|며|면|서|는데|은데|지만|니까|때|후에?|전에?|하여|해|된|한|할|인)\s")
KO_CONTINUES = re.compile(r"^(?:그럼|그러면|그렇다면|그리고|그런데|근데|그래서|그러나|하지만|또한|또는|혹은|아니면)[\s,]")
KO_ASKS = re.compile(r"^(?:무엇|누구|누가|언제|어디|왜|어떻게|어떤|몇|며칠|얼마|뭐|뭔|뭘|무슨|어느|알려|주세요|해주세요)")
KO_COUNTED = re.compile(r"(?<!\S)(?:몇 ?[가-힣]+|얼마나 (?:오래|자주|많이|빨리|더)(?!\S))")
_VERB = "(?:[가까니냐나고기게는던데도든라려러며면서세습시셔어였야요자지죠다더록만대]|십시오)*"
KO_BARE = re.compile(
    rf"(?:수|것|거|게|건|때|데|줄|적|경우|중|후|전|뒤|동안|정도){_PARTICLES}"
    rf"|(?:(?:안|못)?[하한할해했되된될돼됐합됩]|(?:불?가능|필요)[하한할해했합]?|[있없][었겠을]?|싶){_VERB}|안|못"
)
"""Dependent nouns, and verbs that say nothing without another word: 하다, 되다, 있다, 없다."""
KO_ATTRIBUTES = re.compile(
    "(?:비용|금액|요금|가격|수수료|기간|기한|마감|시간|날짜|일정|장소|위치|서류|양식|절차|방법|조건|자격|기준|대상|대상자|한도|횟수|이유|담당자?"
    rf"|예외|종류|결과|신청|접수|취소|변경|연장|제출|발급|환불|지원|승인|지급|예약|등록)(?!이?란){_PARTICLES}"
)
"""Nouns that do not say what they are of."""
KO_VERB = re.compile(rf"[가-힣]{{2}}[하한할해했되된될돼됐]{_VERB}")  # 신청하려면
KO_NOUN = re.compile(r"[가-힣]+[은는이가을를]")  # 회의실이
KO_DEFINES = re.compile(r"무엇|뭐|뭔|무슨 ?뜻|뜻|의미|정의")
