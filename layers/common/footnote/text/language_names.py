"""Names of languages in the languages of messages, for documents in a language that a reader may not recognise."""

from __future__ import annotations

NAMES = {
    code: dict(zip(("en", "de", "ko"), names.split(), strict=True))
    for code, names in (
        ("ar", "Arabic Arabisch 아랍어"),
        ("bg", "Bulgarian Bulgarisch 불가리아어"),
        ("ca", "Catalan Katalanisch 카탈루냐어"),
        ("cs", "Czech Tschechisch 체코어"),
        ("da", "Danish Dänisch 덴마크어"),
        ("de", "German Deutsch 독일어"),
        ("el", "Greek Griechisch 그리스어"),
        ("en", "English Englisch 영어"),
        ("es", "Spanish Spanisch 스페인어"),
        ("et", "Estonian Estnisch 에스토니아어"),
        ("fa", "Persian Persisch 페르시아어"),
        ("fi", "Finnish Finnisch 핀란드어"),
        ("fr", "French Französisch 프랑스어"),
        ("he", "Hebrew Hebräisch 히브리어"),
        ("hi", "Hindi Hindi 힌디어"),
        ("hr", "Croatian Kroatisch 크로아티아어"),
        ("hu", "Hungarian Ungarisch 헝가리어"),
        ("id", "Indonesian Indonesisch 인도네시아어"),
        ("it", "Italian Italienisch 이탈리아어"),
        ("ja", "Japanese Japanisch 일본어"),
        ("km", "Khmer Khmer 크메르어"),
        ("ko", "Korean Koreanisch 한국어"),
        ("lo", "Lao Laotisch 라오어"),
        ("lt", "Lithuanian Litauisch 리투아니아어"),
        ("lv", "Latvian Lettisch 라트비아어"),
        ("my", "Burmese Birmanisch 버마어"),
        ("nl", "Dutch Niederländisch 네덜란드어"),
        ("no", "Norwegian Norwegisch 노르웨이어"),
        ("pl", "Polish Polnisch 폴란드어"),
        ("pt", "Portuguese Portugiesisch 포르투갈어"),
        ("ro", "Romanian Rumänisch 루마니아어"),
        ("ru", "Russian Russisch 러시아어"),
        ("sk", "Slovak Slowakisch 슬로바키아어"),
        ("sl", "Slovenian Slowenisch 슬로베니아어"),
        ("sr", "Serbian Serbisch 세르비아어"),
        ("sv", "Swedish Schwedisch 스웨덴어"),
        ("th", "Thai Thailändisch 태국어"),
        ("tr", "Turkish Türkisch 튀르키예어"),
        ("uk", "Ukrainian Ukrainisch 우크라이나어"),
        ("vi", "Vietnamese Vietnamesisch 베트남어"),
        ("zh", "Chinese Chinesisch 중국어"),
    )
}


def language_name(code: str, lang: str) -> str | None:
    """The name of a language in `lang`, or in English if messages are not written in that; None of a rare one."""
    names = NAMES.get(code)
    return names.get(lang, names["en"]) if names else None
