"""What raised and lowered text becomes in a line."""

import pytest

from footnote.ingest.parse.superscript import lowered, raised, subscript, superscript


@pytest.mark.parametrize(
    ("before", "text", "after", "written"),
    [
        ("The mill burnt down in 1871", "3", ".", ""),
        ("A ticket costs 14.50", "2", " euros", ""),
        ("about 120,000", "1", " people", ""),
        ("It rained for weeks.", "12", " Then", ""),
        ("the bridge", "4", " was", ""),
        ("the bridge", "4,5", " was", ""),
        ("the bridge", "[6]", " was", ""),
        ("a bridge", "*", " of", ""),
        ("a bridge", "a", " of", ""),
        ("10", "6", " cells", "⁶"),
        ("4.2 · 10", "-7", " bar", "⁻⁷"),
        ("a plot of 420 m", "2", " at", "²"),
        ("2", "8", " = 256", "⁸"),
        ("s", "−1", "", "⁻¹"),
        ("Ca", "2+", " ions", "²⁺"),
        ("(a + b)", "2", " =", "²"),
        ("16 + 1024", "2", " =", "²"),
        ("x", "n", " is", "^n"),
        ("2", "n", " is", "^n"),
        ("x", "n+1", " is", "^(n+1)"),
        ("e", "rt", " is", "^rt"),
        ("the 1", "st", " of May", "st"),
        ("la 2", "a", " planta", "ª"),
        ("el 2", "o", " piso", "º"),
        ("la 11.", "a", " planta", "ª"),
        ("le 20", "e", " siècle", "ᵉ"),
        ("n", "o", " 12", "º"),
        ("les N", "os", " 3 et 4", "os"),
        ("Low Mill", "b)", " stands", ""),
        ("wove 310", "a", " ells", ""),
        ("wove 310", "b", " ells", ""),
        ("in 1804.", "a", " Then", ""),
        ("10", "n", " is", "^n"),
        ("M", "me", " Dupont", "me"),
        ("Acme", "®", " pumps", "®"),
        ("the ", "14", "C method", "¹⁴"),
        ("a cup of 1", "1", "/2", " 1"),
        ("Ask us", "citation needed", ".", " citation needed"),
        ("", "1", "Some say 1954.", "1 "),
        (" ", "1", " Some say 1954.", "1"),
        ("x", " ", "", ""),
    ],
)
def test_a_note_is_left_out_and_a_power_is_raised(before, text, after, written):
    assert superscript(text, before, after) == written


def test_notes_of_the_document_decide_what_could_be_both():
    assert superscript("2", "It killed 12", " people") == "²"
    assert superscript("2", "It killed 12", " people", notes={"1", "2"}) == ""
    assert superscript("2", "by the sea", " air", notes={"1", "2"}) == ""
    assert superscript("2", "85 m", ".", notes={"1", "2"}) == "²"
    assert superscript("6", "10", " cells", notes={"6"}) == "⁶"


def test_a_link_to_a_place_in_the_document_is_a_note():
    assert superscript("2", "85 m", ".", is_link=True) == ""


def test_lowered_text_keeps_words_whole_and_numbers_apart():
    assert "H" + subscript("2", "H") + "O" == "H2O"
    assert "V" + subscript("max", "V") == "Vmax"
    assert "1010" + subscript("2", "1010") == "1010₂"
    assert "x" + subscript("i+1", "x") == "x_(i+1)"


def test_only_digits_signs_and_brackets_have_raised_characters():
    assert (raised("-12"), raised("n"), raised(""), lowered("(1+2)")) == ("⁻¹²", "", "", "₍₁₊₂₎")
