"""What a reader is told when there is no answer to give, in the language of the question."""

from __future__ import annotations

MESSAGES: dict[str, dict[str, str]] = {
    "refused": {
        "en": "The documents do not seem to answer this. The nearest passages are listed with it.",
        "de": "Die Dokumente scheinen diese Frage nicht zu beantworten. Die nächstliegenden Stellen sind dabei aufgeführt.",
        "ko": "문서에 이 질문에 대한 답이 없는 것 같습니다. 가장 가까운 구절을 함께 보여 드립니다.",
    },
    "no_hits": {
        "en": "No relevant information found. Try other words, ask for one thing at a time, or choose another index.",
        "de": "Keine passenden Informationen gefunden. Versuchen Sie andere Wörter, eine Frage nach der anderen oder einen anderen Index.",
        "ko": "관련 정보를 찾지 못했습니다. 다른 단어로 바꾸거나 한 번에 한 가지만 묻거나 다른 색인을 선택해 보세요.",
    },
    "empty": {
        "en": "There are no documents here yet. Add some, then ask again.",
        "de": "Hier gibt es noch keine Dokumente. Fügen Sie welche hinzu und fragen Sie dann noch einmal.",
        "ko": "아직 문서가 없습니다. 문서를 추가한 다음 다시 물어 보세요.",
    },
    "blocked": {
        "en": "This question could not be checked and was not answered. Please try again later.",
        "de": "Diese Frage konnte nicht geprüft werden und wurde nicht beantwortet. Bitte versuchen Sie es später noch einmal.",
        "ko": "이 질문을 확인할 수 없어 답하지 않았습니다. 나중에 다시 시도해 주세요.",
    },
    "uncited": {
        "en": "The answer that was written names no source, so it is not shown.",
        "de": "Die geschriebene Antwort nennt keine Quelle und wird deshalb nicht gezeigt.",
        "ko": "작성된 답변에 출처가 없어 표시하지 않습니다.",
    },
    "extractive": {
        "en": "No language model was used: these sentences are quoted from the documents. To add one, start Ollama or set LLM__BASE_URL"
        " and LLM__MODEL (or OPENAI_API_KEY) and restart.",
        "de": "Es wurde kein Sprachmodell verwendet: Diese Sätze sind aus den Dokumenten zitiert. Um eines anzuschließen, starten Sie"
        " Ollama oder setzen Sie LLM__BASE_URL und LLM__MODEL (oder OPENAI_API_KEY) und starten Sie neu.",
        "ko": "언어 모델을 사용하지 않았습니다. 이 문장들은 문서에서 인용한 것입니다. 모델을 연결하려면 Ollama를 실행하거나 LLM__BASE_URL과"
        " LLM__MODEL(또는 OPENAI_API_KEY)을 설정한 뒤 다시 시작하세요.",
    },
    "model_failed": {
        "en": "The language model did not answer; these sentences are quoted from the documents instead.",
        "de": "Das Sprachmodell hat nicht geantwortet; stattdessen sind diese Sätze aus den Dokumenten zitiert.",
        "ko": "언어 모델이 응답하지 않아 대신 문서의 문장을 인용했습니다.",
    },
}


def message(key: str, lang: str) -> str:
    """The message in `lang`, in English where there is none."""
    return MESSAGES[key].get(lang, MESSAGES[key]["en"])
