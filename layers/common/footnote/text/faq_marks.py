"""How questions and answers are marked in texts: “Q:”, “Frage 3:”, “답:”."""

QUESTION_MARK = r"(?:(?:Q|Question|F|Frage|문|질문)\s?\d{0,3}\s?[:：]|(?:Q|F|문|질문)\s?\d{1,3}\s?[.)]|Q[.])"
"""“F.” alone is an initial."""
ANSWER_MARK = r"(?:(?:A|Answer|Antwort|답|답변)\s?\d{0,3}\s?[:：]|(?:A|답)\s?\d{1,3}\s?[.)]|A[.])"
