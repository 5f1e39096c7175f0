"""Voices: filters, counts, themes and their labels in three languages."""

from __future__ import annotations

from datetime import UTC, date, datetime

import numpy as np
import pytest

from footnote.voices.clusters import cluster, how_many
from footnote.voices.counts import count
from footnote.voices.labels import find_labels, words_of
from footnote.voices.rank import score_by_vectors, score_by_words
from footnote.voices.themes import find_themes
from footnote.voices.vectors import by_words
from footnote.voices.voice import Voice, VoiceFilter


def at(day: str) -> float:
    return datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()


SAID = {
    "en": (
        ["The delivery came {n} days late", "My delivery is late again, {n} days", "Late delivery, I waited {n} days"],
        ["The app crashes on page {n}", "App crashes whenever I open page {n}", "Page {n} crashes the app"],
    ),
    "de": (
        ["Die Lieferung kam {n} Tage zu spät", "Lieferung wieder verspätet, {n} Tage", "Die Lieferung ist {n} Tage verspätet"],
        ["Die Anmeldung schlägt fehl, Fehler {n}", "Fehler {n} bei der Anmeldung", "Anmeldung geht nicht, Fehler {n}"],
    ),
    "ko": (
        ["배송이 {n}일 늦었어요", "배송 지연이 {n}일입니다", "배송이 너무 지연되었어요 {n}일"],
        ["로그인 오류 {n}번 발생했어요", "로그인이 안 됩니다 오류 {n}", "로그인할 때 오류가 나요 {n}"],
    ),
}


def voices(lang: str) -> list[Voice]:
    made = []
    for kind, patterns in enumerate(SAID[lang]):
        for n in range(12):
            day = f"2026-{3 + n % 2:02}-{10 + n}"
            made.append(Voice(f"{lang}{kind}{n:02}", patterns[n % 3].format(n=n), lang, at(day), "mail", "lamp", 1.0 + 3 * kind))
    return made


@pytest.mark.parametrize(
    ("lang", "words"), [("en", ("delivery", "crashes")), ("de", ("Lieferung", "Anmeldung")), ("ko", ("배송", "로그인"))]
)
def test_similar_voices_form_a_theme_with_its_words(lang: str, words: tuple[str, str]) -> None:
    found = find_themes(voices(lang), {}, VoiceFilter())
    assert [theme.size for theme in found.themes] == [12, 12]
    assert (found.voices, found.rest, found.by) == (24, 0, "words")
    for word in words:
        (theme,) = (theme for theme in found.themes if word in theme.label.split(" · "))
        assert theme.rating == (1.0 if word == words[0] else 4.0)
        kind = "0" if word == words[0] else "1"
        assert len(theme.examples) == 3
        assert all(each[2] == kind for each in (*theme.examples, *theme.members))


def test_themes_do_not_depend_on_the_order_and_are_the_same_each_time() -> None:
    mixed = [*voices("en"), *voices("de"), *voices("ko")]
    assert find_themes(mixed, {}, VoiceFilter()) == find_themes(mixed[::-1], {}, VoiceFilter())


def test_voices_with_vectors_are_grouped_by_them() -> None:
    mixed = [*voices("en"), *voices("de")]
    vectors = {each.voice_id: np.eye(4, dtype=np.float32)[int(each.voice_id[2])] for each in mixed}
    found = find_themes(mixed, vectors, VoiceFilter())
    assert (found.by, [theme.size for theme in found.themes]) == ("vectors", [24, 24])
    few = {each.voice_id: vectors[each.voice_id] for each in mixed[:3]}
    assert find_themes(mixed, few, VoiceFilter()).by == "words"
    assert find_themes([*mixed, *voices("ko")], vectors, VoiceFilter()).by == "both"


def test_a_trend_compares_a_period_with_the_one_before() -> None:
    wanted = VoiceFilter(first=date(2026, 4, 1), last=date(2026, 4, 30))
    for theme in find_themes(voices("en"), {}, wanted).themes:
        assert (theme.size, theme.now, theme.before) == (6, 6, 6)
    undated = [Voice(each.voice_id, each.text, "en") for each in voices("en")]
    assert {theme.before for theme in find_themes(undated, {}, VoiceFilter()).themes} == {None}
    assert find_themes([], {}, VoiceFilter()).themes == ()


def test_labels_have_no_numbers_addresses_or_everyday_words() -> None:
    texts = ["Mail kim@example.com or 555-1234 about the lamp!", "See https://example.com/lamp about my lamp 99", "really good lamp"]
    words = [words_of(text, "en") for text in texts]
    assert not {"kim", "example", "https", "com"} & {form for each in words for form in each.values()}
    assert find_labels(words, [0, 0, 0])[0][0] == "lamp"


def test_filters_choose_by_what_is_known() -> None:
    voice = Voice("a", "x", "en", at("2026-03-31T23:59:59"), "mail", "lamp", 2.0)
    bare = Voice("b", "x", "en")
    for wanted, expected in (
        (VoiceFilter(), [voice, bare]),
        (VoiceFilter(channel=("mail", "web")), [voice]),
        (VoiceFilter(product=("chair",)), []),
        (VoiceFilter(rating_from=2, rating_to=2), [voice]),
        (VoiceFilter(rating_from=2.5), []),
        (VoiceFilter(rating_to=5), [voice]),
        (VoiceFilter(first=date(2026, 3, 31), last=date(2026, 3, 31)), [voice]),
        (VoiceFilter(first=date(2026, 4, 1)), []),
        (VoiceFilter(last=date(2026, 3, 30)), []),
    ):
        assert [each for each in (voice, bare) if wanted.is_met_by(each)] == expected
        known = {"channel": "mail", "product": "lamp", "rating": 2.0, "date": "2026-03-31T23:59:59+00:00"}
        found = [each for each, metadata in ((voice, known), (bare, dict[str, object]())) if wanted.conditions().match(metadata)]
        assert found == expected


def test_counts_over_time_name_empty_periods_and_the_undated() -> None:
    said = [Voice("a", "", "en", at("2026-01-31"), rating=1), Voice("b", "", "en", at("2026-03-01"), rating=4), Voice("c", "", "en")]
    months = [(row.key, row.voices, row.rating) for row in count(said, "month")]
    assert months == [("2026-01-01", 1, 1.0), ("2026-02-01", 0, None), ("2026-03-01", 1, 4.0), (None, 1, None)]
    assert [row.key for row in count(said[:1], "week")] == ["2026-01-26"]
    assert len(count(said[:2], "day")) == 30
    assert [(row.key, row.voices) for row in count(said, "rating")] == [("1", 1), ("4", 1), (None, 1)]
    far = [Voice("a", "", "en", at("1990-01-01")), Voice("b", "", "en", at("2026-01-01"))]
    assert [row.key for row in count(far, "day")] == ["1990-01-01", "2026-01-01"]


def test_channels_and_products_are_counted_by_size_and_what_is_not_known_comes_last() -> None:
    said = [
        Voice(str(number), "", "en", channel=channel) for number, channel in enumerate(("web", "mail", "mail", "app", None, None, None))
    ]
    assert [(row.key, row.voices) for row in count(said, "channel")] == [("mail", 2), ("app", 1), ("web", 1), (None, 3)]
    assert [(row.key, row.voices) for row in count(said, "product")] == [(None, 7)]


def test_a_rating_counts_as_the_nearest_whole_one_and_a_half_as_the_better() -> None:
    said = [Voice(str(rating), "", "en", rating=rating) for rating in (1.4, 3.6, 4.49, 4.5, 5.0)]
    assert [(row.key, row.voices, row.rating) for row in count(said, "rating")] == [("1", 1, 1.4), ("4", 2, 4.04), ("5", 2, 4.75)]


def test_clusters_of_equal_and_of_empty_rows() -> None:
    assert cluster(np.zeros((3, 2), np.float32)).groups.tolist() == [-1, -1, -1]
    assert cluster(np.ones((5, 3), np.float32)).groups.tolist() == [0] * 5
    assert [how_many(rows) for rows in (1, 2, 24, 600, 10_000, 10**6)] == [1, 2, 2, 10, 40, 40]
    assert by_words([[], ["a"], ["b"]]).shape == (3, 1)


def test_a_search_by_words_ranks_rare_ones_first() -> None:
    said = [Voice("a", "lamp lamp", "en"), Voice("b", "blue lamp", "en"), Voice("c", "chair", "en")]
    found, whole = score_by_words("blue lamp", "en", said)
    assert [each.chunk_id for each in found] == ["b", "a"]
    assert found[0].score == pytest.approx(whole)
    assert 0 < found[1].score < whole


def test_a_search_by_vectors_ranks_the_nearest_first_and_omits_voices_without_one() -> None:
    said = [Voice("a", "far", "en"), Voice("b", "near", "en"), Voice("c", "unknown", "en")]
    vectors = {"far": np.array([0.0, 1.0], np.float32), "near": np.array([0.8, 0.6], np.float32)}
    found = score_by_vectors(np.array([1.0, 0.0], np.float32), said, vectors)
    assert [(each.chunk_id, round(each.score, 3)) for each in found] == [("b", 0.8), ("a", 0.0)]
    assert score_by_vectors(np.array([1.0, 0.0], np.float32), said, {}) == []
