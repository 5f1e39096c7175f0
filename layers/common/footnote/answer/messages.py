"""Messages shown when there is no answer, and names of languages, in the question's language."""

from __future__ import annotations

MESSAGES: dict[str, dict[str, str]] = {
    "refused": {
        "en": "The documents do not seem to answer this. Rephrase the question, or ask one thing at a time.",
        "de": "Die Dokumente scheinen diese Frage nicht zu beantworten. Formulieren Sie die Frage anders oder fragen Sie nur nach"
        " einer Sache.",
        "ko": "문서에 이 질문에 대한 답이 없는 것 같습니다. 질문을 다르게 표현하거나 한 번에 한 가지만 물어보세요.",
    },
    "part_unanswered": {
        "en": "The documents do not seem to answer this part: {question}",
        "de": "Diesen Teil scheinen die Dokumente nicht zu beantworten: {question}",
        "ko": "문서에 다음 질문에 대한 답은 없는 것 같습니다. {question}",
    },
    "closest": {"en": "The closest passages:", "de": "Die nächstliegenden Textstellen:", "ko": "가장 가까운 구절입니다."},
    "likely": {"en": "Likely answers:", "de": "Wahrscheinliche Antworten:", "ko": "답일 가능성이 높은 구절입니다."},
    "more": {"en": "… {count} more", "de": "… {count} weitere", "ko": "… {count}개 더"},
    "overview": {
        "en": "These sentences are from the attached files. A summary in other words needs a language model.",
        "de": "Diese Sätze stehen in den angehängten Dateien. Eine Zusammenfassung in anderen Worten braucht ein Sprachmodell.",
        "ko": "첨부한 파일에서 가져온 문장입니다. 다른 말로 요약하려면 언어 모델이 필요합니다.",
    },
    "overview_of_collection": {
        "en": "Some of the documents begin with these sentences. A summary in other words needs a language model.",
        "de": "Mit diesen Sätzen beginnen einige der Dokumente. Eine Zusammenfassung in anderen Worten braucht ein Sprachmodell.",
        "ko": "일부 문서의 첫 부분에서 가져온 문장입니다. 다른 말로 요약하려면 언어 모델이 필요합니다.",
    },
    "no_hits": {
        "en": "No relevant information found. Rephrase the question, ask one thing at a time, or choose another collection.",
        "de": "Keine passenden Informationen gefunden. Formulieren Sie die Frage anders, fragen Sie nur nach einer Sache"
        " oder wählen Sie eine andere Sammlung.",
        "ko": "관련 정보를 찾지 못했습니다. 질문을 다르게 표현하거나, 한 번에 한 가지만 묻거나, 다른 컬렉션을 선택해 보세요.",
    },
    "nothing_found": {
        "en": "No relevant information found. Rephrase the question, or ask one thing at a time.",
        "de": "Keine passenden Informationen gefunden. Formulieren Sie die Frage anders oder fragen Sie nur nach einer Sache.",
        "ko": "관련 정보를 찾지 못했습니다. 질문을 다르게 표현하거나 한 번에 한 가지만 물어보세요.",
    },
    "no_access": {
        "en": "You have no access to any documents here. Ask for access, or add your own.",
        "de": "Sie haben hier auf keine Dokumente Zugriff. Bitten Sie um Zugriff, oder fügen Sie eigene hinzu.",
        "ko": "여기에는 읽을 수 있는 문서가 없습니다. 문서에 대한 접근 권한을 요청하거나 직접 문서를 추가해 주세요.",
    },
    "empty": {
        "en": "There are no documents here yet. Add some, then ask again.",
        "de": "Hier gibt es noch keine Dokumente. Fügen Sie welche hinzu und fragen Sie dann erneut.",
        "ko": "아직 문서가 없습니다. 문서를 추가한 다음 다시 질문해 주세요.",
    },
    "reading": {
        "en": "{reading} of {documents} documents are still being read.",
        "de": "{reading} von {documents} Dokumenten werden noch gelesen.",
        "ko": "문서 {documents}개 중 {reading}개를 아직 읽고 있습니다.",
    },
    "reading_one": {
        "en": "{reading} of {documents} documents is still being read.",
        "de": "{reading} von {documents} Dokumenten wird noch gelesen.",
        "ko": "문서 {documents}개 중 {reading}개를 아직 읽고 있습니다.",
    },
    "ask_again": {
        "en": "Ask again in a moment.",
        "de": "Fragen Sie gleich noch einmal.",
        "ko": "잠시 후 다시 질문해 주세요.",
    },
    "from_a_part": {
        "en": "This answer is from the others.",
        "de": "Diese Antwort stammt aus den übrigen.",
        "ko": "이 답변은 나머지 문서만 바탕으로 합니다.",
    },
    "file_failed": {
        "en": "“{name}” could not be read: {reason}",
        "de": "„{name}“ konnte nicht gelesen werden: {reason}",
        "ko": "“{name}” 파일을 읽을 수 없었습니다. {reason}",
    },
    "greeting": {
        "en": "Hello! I answer questions from your documents. What would you like to know?",
        "de": "Hallo! Ich beantworte Fragen aus Ihren Dokumenten. Was möchten Sie wissen?",
        "ko": "안녕하세요! 문서를 바탕으로 질문에 답해 드립니다. 무엇이 궁금하신가요?",
    },
    "welcome": {
        "en": "You're welcome! Ask again whenever you need something from your documents.",
        "de": "Gern geschehen! Fragen Sie jederzeit wieder, wenn Sie etwas aus Ihren Dokumenten brauchen.",
        "ko": "천만에요! 문서에서 필요한 것이 있으면 언제든지 다시 물어보세요.",
    },
    "task_needs_model": {
        "en": "Translating, calculating and writing need a language model, and none is connected. I answer questions from your documents."
        " To look this up in them anyway, choose to always search.",
        "de": "Übersetzen, Rechnen und Schreiben brauchen ein Sprachmodell, und es ist keines verbunden. Ich beantworte Fragen aus Ihren"
        " Dokumenten. Um trotzdem darin zu suchen, wählen Sie, dass immer gesucht wird.",
        "ko": "번역, 계산, 글쓰기에는 언어 모델이 필요한데 연결된 모델이 없습니다. 저는 문서를 바탕으로 질문에 답해 드립니다."
        " 그래도 문서에서 찾아보려면 항상 검색하도록 선택하세요.",
    },
    "last_answer_needs_model": {
        "en": "Changing, checking or explaining an answer needs a language model, and none answers here. Asked so far: {questions}",
        "de": "Eine Antwort zu ändern, zu prüfen oder zu erklären braucht ein Sprachmodell, und hier antwortet keines. Bisher gefragt:"
        " {questions}",
        "ko": "답변을 바꾸거나 확인하거나 설명하려면 언어 모델이 필요한데 지금은 답하는 모델이 없습니다. 지금까지의 질문: {questions}",
    },
    "its_passages": {
        "en": "The last answer is from this:",
        "de": "Die letzte Antwort stammt hieraus:",
        "ko": "마지막 답변의 출처입니다.",
    },
    "search_failed": {
        "en": "The documents could not be searched, so this question was not answered. Please try again in a moment.",
        "de": "Die Dokumente konnten nicht durchsucht werden, deshalb wurde die Frage nicht beantwortet. Bitte versuchen Sie es gleich"
        " noch einmal.",
        "ko": "문서를 검색할 수 없어 질문에 답하지 못했습니다. 잠시 후 다시 시도해 주세요.",
    },
    "blocked": {
        "en": "This question could not be checked, so it was not answered. Please try again later.",
        "de": "Diese Frage konnte nicht geprüft werden und wurde deshalb nicht beantwortet. Bitte versuchen Sie es später noch einmal.",
        "ko": "이 질문을 검사할 수 없어 답변하지 않았습니다. 나중에 다시 시도해 주세요.",
    },
    "withdrawn": {
        "en": "This answer is not shown because it quotes a document that was deleted or that you can no longer access.",
        "de": "Diese Antwort wird nicht angezeigt, weil sie ein Dokument zitiert, das gelöscht wurde oder auf das"
        " Sie keinen Zugriff mehr haben.",
        "ko": "이 답변은 삭제되었거나 더 이상 읽을 수 없는 문서를 인용하므로 표시하지 않습니다.",
    },
    "shared_all": {
        "en": "This answer is not shown to you: a source of it was changed or deleted, or you cannot read it.",
        "de": "Diese Antwort wird Ihnen nicht angezeigt: Eine Quelle wurde geändert oder gelöscht, oder Sie können sie nicht lesen.",
        "ko": "이 답변은 표시하지 않습니다. 출처가 변경되었거나 삭제되었거나 읽을 수 없는 문서입니다.",
    },
    "shared_part": {
        "en": "A part of this answer is not shown to you: a source of it was changed or deleted, or you cannot read it.",
        "de": "Ein Teil dieser Antwort wird Ihnen nicht angezeigt: Eine Quelle wurde geändert oder gelöscht, oder Sie können"
        " sie nicht lesen.",
        "ko": "이 답변의 일부는 표시하지 않습니다. 출처가 변경되었거나 삭제되었거나 읽을 수 없는 문서입니다.",
    },
    "uncited": {
        "en": "The generated answer cites no source, so it is not shown.",
        "de": "Die generierte Antwort nennt keine Quelle und wird deshalb nicht angezeigt.",
        "ko": "생성된 답변에 출처가 없어 표시하지 않습니다.",
    },
    "insufficient": {
        "en": "The documents do not contain enough information to answer this question.",
        "de": "Die Dokumente enthalten nicht genug Informationen, um diese Frage zu beantworten.",
        "ko": "문서에 이 질문에 답할 만큼 충분한 정보가 없습니다.",
    },
    "spent": {
        "en": "Your budget for today is used up. You can still search the documents; the language model is available again tomorrow (UTC).",
        "de": "Ihr Budget für heute ist aufgebraucht. Sie können weiterhin in den Dokumenten suchen; das Sprachmodell"
        " steht morgen wieder zur Verfügung (UTC).",
        "ko": "오늘의 예산을 모두 사용했습니다. 문서 검색은 계속 사용할 수 있으며, 언어 모델은 내일(UTC) 다시 사용할 수 있습니다.",
    },
    "unsupported": {
        "en": "The generated answer is not fully supported by its sources, so it is not shown.",
        "de": "Die generierte Antwort ist durch ihre Quellen nicht vollständig belegt und wird deshalb nicht angezeigt.",
        "ko": "생성된 답변에 출처로 뒷받침되지 않는 내용이 있어 표시하지 않습니다.",
    },
    "extractive": {
        "en": "No language model was used: these sentences are quoted from the documents.",
        "de": "Es wurde kein Sprachmodell verwendet: Diese Sätze sind aus den Dokumenten zitiert.",
        "ko": "언어 모델을 사용하지 않았습니다. 이 문장들은 문서에서 인용한 것입니다.",
    },
    "needs_model": {
        "en": "This needs a language model.",
        "de": "Dafür ist ein Sprachmodell nötig.",
        "ko": "언어 모델이 있어야 답할 수 있습니다.",
    },
    "no_model": {
        "en": "No language model.",
        "de": "Kein Sprachmodell.",
        "ko": "언어 모델이 없습니다.",
    },
    "no_model_off": {
        "en": "No language model is configured.",
        "de": "Es ist kein Sprachmodell konfiguriert.",
        "ko": "설정된 언어 모델이 없습니다.",
    },
    "add_model_off": {
        "en": "Connect one in the page, or with: footnote model set.",
        "de": "Verbinden Sie eines auf der Seite oder mit: footnote model set.",
        "ko": "페이지에서 또는 footnote model set 명령으로 연결하세요.",
    },
    "no_model_not_found": {
        "en": "No language model: {servers}.",
        "de": "Kein Sprachmodell: {servers}.",
        "ko": "언어 모델이 없습니다: {servers}.",
    },
    "no_server": {
        "en": "no {server} on port {port}",
        "de": "kein {server} auf Port {port}",
        "ko": "포트 {port}에 {server} 없음",
    },
    "add_model_not_found": {
        "en": "Start one of them, or connect another in the page or with: footnote model set. The next question uses it.",
        "de": "Starten Sie eines davon, oder verbinden Sie auf der Seite eines oder mit: footnote model set. Die nächste Frage nutzt es.",
        "ko": "이 중 하나를 실행하거나 페이지에서 또는 footnote model set 명령으로 다른 모델을 연결하세요. 다음 질문부터 사용됩니다.",
    },
    "no_model_no_chat_model": {
        "en": "No language model: {server} at {address} has no model that can answer.",
        "de": "Kein Sprachmodell: {server} unter {address} hat kein Modell, das antworten kann.",
        "ko": "언어 모델이 없습니다: {address}의 {server}에 답변할 수 있는 모델이 없습니다.",
    },
    "add_model_ollama": {
        "en": "Run: ollama pull llama3.2",
        "de": "Führen Sie aus: ollama pull llama3.2",
        "ko": "다음을 실행하세요: ollama pull llama3.2",
    },
    "add_model_no_chat_model": {
        "en": "Download one there.",
        "de": "Laden Sie dort eines herunter.",
        "ko": "해당 프로그램에서 모델을 내려받으세요.",
    },
    "model_found": {
        "en": "{server} at {address}, model {model}",
        "de": "{server} unter {address}, Modell {model}",
        "ko": "{address}의 {server}, 모델 {model}",
    },
    "model_configured": {
        "en": "{model} at {address}",
        "de": "{model} unter {address}",
        "ko": "{address}의 {model}",
    },
    "model_failed": {
        "en": "The language model did not answer.",
        "de": "Das Sprachmodell hat nicht geantwortet.",
        "ko": "언어 모델이 응답하지 않았습니다.",
    },
    "model_failed_at": {
        "en": "The model at {address} did not answer.",
        "de": "Das Modell unter {address} hat nicht geantwortet.",
        "ko": "{address}의 모델이 응답하지 않았습니다.",
    },
    "quoted_instead": {
        "en": "These sentences are quoted from the documents instead.",
        "de": "Stattdessen wurden diese Sätze aus den Dokumenten zitiert.",
        "ko": "대신 문서의 문장을 인용했습니다.",
    },
    "citations_added": {
        "en": "Sources that Footnote found for this:",
        "de": "Quellen, die Footnote dazu gefunden hat:",
        "ko": "Footnote가 찾은 출처:",
    },
    "unverified": {
        "en": "The text above could not be verified.",
        "de": "Der Text oben ließ sich nicht belegen.",
        "ko": "위의 글은 근거를 확인할 수 없습니다.",
    },
    "unverified_but": {
        "en": "The text above could not be verified. The documents say:",
        "de": "Der Text oben ließ sich nicht belegen. In den Dokumenten steht:",
        "ko": "위의 글은 근거를 확인할 수 없습니다. 문서에는 다음과 같이 나와 있습니다.",
    },
    "model_uncited": {
        "en": "The language model cited no passage.",
        "de": "Das Sprachmodell hat keine Textstelle zitiert.",
        "ko": "언어 모델이 구절을 인용하지 않았습니다.",
    },
    "model_empty": {
        "en": "The language model said nothing.",
        "de": "Das Sprachmodell hat nichts gesagt.",
        "ko": "언어 모델이 아무 말도 하지 않았습니다.",
    },
    "model_preamble": {
        "en": "The language model announced an answer and gave none.",
        "de": "Das Sprachmodell hat eine Antwort angekündigt, aber keine gegeben.",
        "ko": "언어 모델이 답변을 예고만 하고 답하지 않았습니다.",
    },
    "model_repetition": {
        "en": "The language model repeated itself.",
        "de": "Das Sprachmodell hat sich wiederholt.",
        "ko": "언어 모델이 같은 말을 반복했습니다.",
    },
    "model_other_language": {
        "en": "The language model answered in another language.",
        "de": "Das Sprachmodell hat in einer anderen Sprache geantwortet.",
        "ko": "언어 모델이 다른 언어로 답했습니다.",
    },
    "model_unfounded": {
        "en": "The passages that the language model cited do not say what it wrote.",
        "de": "Die vom Sprachmodell zitierten Textstellen sagen nicht, was es geschrieben hat.",
        "ko": "언어 모델이 인용한 구절에서 답변 내용을 확인할 수 없습니다.",
    },
    "budget_cheaper": {
        "en": "Most of your budget for today is used up, so a cheaper language model answered.",
        "de": "Ihr heutiges Budget ist größtenteils aufgebraucht. Deshalb hat ein günstigeres Sprachmodell geantwortet.",
        "ko": "오늘의 예산을 거의 다 사용하여 더 저렴한 언어 모델이 답변을 작성했습니다.",
    },
    "budget_search": {
        "en": "Your budget for today is used up. No language model is used until 0:00 UTC; these sentences are quoted from the documents.",
        "de": "Ihr heutiges Budget ist aufgebraucht. Bis 0:00 Uhr UTC wird kein Sprachmodell verwendet; diese Sätze sind"
        " aus den Dokumenten zitiert.",
        "ko": "오늘의 예산을 모두 사용했습니다. 0:00(UTC)까지 언어 모델을 사용하지 않으며, 이 문장들은 문서에서 인용한 것입니다.",
    },
}


def message(key: str, lang: str, **values: str) -> str:
    """The message in `lang`, or in English if it is not translated."""
    return MESSAGES[key].get(lang, MESSAGES[key]["en"]).format(**values)


LANGUAGE_NAMES = {
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
    names = LANGUAGE_NAMES.get(code)
    return names.get(lang, names["en"]) if names else None
