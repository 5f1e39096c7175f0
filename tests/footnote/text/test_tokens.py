"""The tokens of documents and queries."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from footnote.text.tokens import content_terms, count_tokens, index_tokens, other_forms, query_tokens


@pytest.mark.parametrize(
    ("text", "lang", "tokens"),
    [
        ("The running dogs run.", "en", ["run", "dog", "run"]),
        ("Die Häuser", "de", ["haus", "_häus", "häuse", "äuser", "user_"]),
        (
            "Kaufvertrag ab",
            "de",
            ["kaufvertrag", "ab", "_kauf", "kaufv", "aufve", "ufver", "fvert", "vertr", "ertra", "rtrag", "trag_", "_ab_"],
        ),
        ("Rooms A-113", "en", ["room", "113", "a_113"]),
        ("Raum A-113", "de", ["raum", "a", "113", "_raum", "raum_", "_a_", "_113_", "a_113"]),
        ("2026.4.10에는", "ko", ["에는", "2026", "4", "10", "2026_4_10"]),
        ("서울특별시", "ko", ["서울", "울특", "특별", "별시"]),
        ("물 한잔", "ko", ["물", "한잔"]),
        ("東京タワー", "ja", ["東京", "京タ", "タワ", "ワー"]),
        ("GPT-4의 Models 사용", "ko", ["의", "사용", "gpt", "4", "model", "gpt_4"]),
        ("the word 서울역", "en", ["서울", "울역", "word"]),
        ("the running dogs", "und", ["the", "run", "dog"]),
        ("the running dogs", "mis", ["the", "running", "dogs"]),
        ("ﬁle Ｆile ﬀ x²", "und", ["file", "file", "ff", "x2"]),
        ("snake_case c++ 3.14", "mis", ["snake", "case", "c", "3", "14", "snake_case"]),
        ("chevaux chantaient", "fr", ["cheval", "chant"]),
        ("İstanbul'da evler", "tr", ["istanbul", "da", "ev"]),
        ("हिन्दी किताबें", "hi", ["हिन्द", "किताब"]),
        ("เมืองหลวง", "th", ["เมื", "มือ", "อง", "งห", "หล", "ลว", "วง"]),
        ("ភាសាខ្មែរ", "km", ["ភាសា", "សាខ្", "ខ្មែ", "មែរ"]),
    ],
)
def test_a_text_becomes_the_tokens_of_its_language(text: str, lang: str, tokens: list[str]) -> None:
    assert index_tokens(text, lang) == tokens


@pytest.mark.parametrize(
    ("text", "lang", "terms"),
    [
        pytest.param("AWS iOS macOS Redis Windows", "en", "aws ios macos redis window", id="names in s in English"),
        pytest.param("AWS iOS macOS Redis Windows", "de", "aws ios macos redis window", id="names in s in German"),
        pytest.param("ids ads cars window gas", "en", "id ad car window gas", id="short English plurals"),
        pytest.param("Which PDFs are scanned, and which APIs?", "en", "pdf scan api", id="the plural of an acronym"),
        pytest.param("How many dogs does the queen have?", "en", "dog queen", id="English stop and question words"),
        pytest.param("Wann wurde der Kaufvertrag unterschrieben?", "de", "kaufvertrag unterschrieb", id="German stop words"),
        pytest.param("한국의 수도는 어디인가", "ko", "한국 국의 수도 도는", id="Korean question words"),
        pytest.param("Where is 서울역?", "en", "서울 울역", id="another script"),
        pytest.param("What does 6ES7214-1AG41 cost?", "en", "6es7214 1ag41 cost 6es7214_1ag41", id="a code is a term beside its parts"),
    ],
)
def test_content_terms_are_the_stems_of_what_carries_meaning(text: str, lang: str, terms: str) -> None:
    assert content_terms(text, lang) == terms.split()


@pytest.mark.parametrize(
    ("forms", "stem"),
    [
        ("lösche löscht löschte löschen", "losch"),
        ("sperre sperrt sperrte sperren", "sperr"),
        ("zeige zeigt zeigte zeigen", "zeig"),
        ("ändere ändert änderte ändern", "and"),
        ("öffne öffnet öffnete öffnen", "offn"),
        ("arbeite arbeitet arbeitete arbeiten Arbeit", "arbeit"),
        ("speichere speichert speicherte speichern", "speich"),
        ("führe führt führte führen", "fuhr"),
        ("installiert installierte installieren", "installi"),
        ("kostet kostete kosten", "kost"),
    ],
)
def test_the_forms_of_a_german_verb_share_their_stem(forms: str, stem: str) -> None:
    assert set(content_terms(forms, "de")) == {stem}


def test_german_words_that_are_also_english_keep_their_t() -> None:
    text = "client contract test host port script format agent default ticket debt light alert support limit"
    assert content_terms(text, "de") == content_terms(text, "en") == text.split()


@pytest.mark.parametrize(
    ("written", "terms"),
    [
        ("10⁶ 10^6 10⁻⁶", ["10", "6", "10", "6", "10", "6"]),
        ("m² m^2 m2 km³", ["m2", "m2", "m2", "km3"]),
        ("H₂O H2O", ["h2o", "h2o"]),
        ("1871³ and mills⁴", ["1871", "3", "mill", "4"]),
        ("1010₂", ["1010", "2"]),
    ],
)
def test_small_digits_join_no_number_and_stay_with_units(written: str, terms: list[str]) -> None:
    assert content_terms(written, "en") == terms


def test_a_query_has_each_token_once_in_order_of_appearance() -> None:
    assert query_tokens("dogs and a dog and cats", "en") == ("dog", "cat")


def test_a_query_of_stop_words_only_keeps_them() -> None:
    assert query_tokens("To be or not to be", "en") == ("to", "be", "or", "not")
    assert query_tokens("?!", "en") == ()


def test_the_parts_of_a_german_compound_are_among_its_tokens() -> None:
    assert {"vertr", "ertra", "rtrag"} <= set(query_tokens("Vertrag", "de")) & set(index_tokens("Kaufvertrag", "de"))


@pytest.mark.parametrize(
    ("text", "lang", "code"), [("2026.4.10에는 무엇이 있나", "ko", "2026_4_10"), ("What is 서울역 A-113?", "en", "a_113")]
)
def test_a_code_is_the_last_content_term_in_any_language(text: str, lang: str, code: str) -> None:
    assert content_terms(text, lang)[-1] == code


def test_a_code_is_once_among_the_tokens_of_a_query_in_several_languages() -> None:
    assert query_tokens("v1.2.3", "de", ["de", "en"]).count("1_2_3") == 1


def test_a_code_has_the_same_form_in_every_language() -> None:
    assert other_forms("AB-12-AS and A-113", "en", ["de", "fr", "ko"]) == {}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("The cat sat on the mat.", 6),  # six words and half a full stop, rounded to even
        ("internationalization", 5),  # 1 + 15 / 4
        ("서울특별시", 3),  # 5 × .65
        ("...." * 5, 10),
    ],
)
def test_the_token_count_is_close_to_a_tokenizers(text: str, count: int) -> None:
    assert count_tokens(text) == count


def test_threads_do_not_share_a_stemmer() -> None:
    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(lambda i: tuple(index_tokens("running dogs " * 200, "en" if i % 2 else "de")[:2]), range(40)))
    assert found == {("run", "dog"), ("running", "dog")}


def test_a_query_has_its_words_in_the_forms_of_every_language_of_the_passages() -> None:
    assert query_tokens("the Sanders contracts", "en", ["de", "en", "fr"]) == (
        *("sander", "contract", "sand", "_sand", "sande", "ander", "nders", "ders_"),
        *("_cont", "contr", "ontra", "ntrac", "tract", "racts", "acts_"),
    )


def test_a_form_in_another_language_stands_for_the_question_s_own() -> None:
    assert other_forms("the contract with Sanders", "en", ["de", "en"]) == {"sand": "sander"}
    assert other_forms("the contract with Sanders", "en", ["en"]) == {}
