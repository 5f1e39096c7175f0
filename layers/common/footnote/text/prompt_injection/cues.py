"""Words and phrases of attempts to change an assistant's rules: data for `score.py`, no logic."""

from __future__ import annotations

KINDS: dict[str, str] = {
    "drop": """ignor* disregard* forget* overrid* overrul* bypass* discard* neglect* circumvent*
        vergiss vergesse vergessen missacht* umgeh* verwirf verwerfe 무시* 잊어* 잊고* 따르지* 어기*""",
    "prior": """previous prior above earlier preceding foregoing former initial original before existing
        vorherig* bisherig* vorig* obig* vorangegangen* frühere* ursprünglich* bestehend* 이전* 위의 앞의 앞선 지금까지* 기존* 원래*""",
    "all": "all any every your those these each alle allen sämtlich* deine deinen eure euren jede 모든 전부 너의 당신의 네",
    "told": """instruction* prompt prompts directive* guideline* programming training rule rules polic* command* restriction*
        safeguard* anweisung* vorgabe* instruktion* richtlinie* regel regeln befehl* 지시* 명령* 지침* 프롬프트* 규칙* 제한*""",
    "taught": """instruction* prompt prompts directive* programming training safeguard* anweisung* instruktion* vorgabe*
        지시* 지침* 프롬프트*""",
    "show": """reveal* show* print* repeat* output* gib display* leak* expose* disclose* recite* zeig* verrat* wiederhol* nenn* offenleg*
        보여* 알려* 출력* 공개* 말해*""",
    "hidden": "system hidden secret verborgen* geheim* versteckt* 시스템* 숨겨진* 숨은 비밀*",
    "you": "you your you're youre u ur yourself du dich dir dein* 너는 넌 너를 네가 당신은 당신이 당신을",
    "act": "act acts acting behave* pretend* roleplay* roleplaying become impersonat* immerse* simulat* emulat* embody* portray*",
    "be": "becoming act acting play playing pretend* roleplay* role simulate respond answer behave speak talk impersonat* dan",
    "as": "as like",
    "speak": "answer* respond* repl* speak* talk* write say act acts acting behave*",
    "persona": """ai chatbot bot gpt* chatgpt character persona personality girlfriend boyfriend terminal console hacker villain evil
        unfiltered uncensored machine dan narrator waifu alter ego""",
    "maker": "openai* openal* chatgpt* gpt* anthropic* claude bard llama",
    "limits": """restriction* restricted limitation* limit limits guideline* rule rules polic* filter* confine* constrain* censor*
        moral* ethic* boundar* law laws principles programming""",
    "free": "no without free freed none lack* zero unbound bypass* ignor* beyond break* broken not never don't doesn't nor isn't nothing",
    "bans": "restriction* restrained limitation* censor* filter* guideline* moral* ethic* boundar* inhibition* disclaimer* limits",
    "never": "never not don't dont cannot can't won't without no",
    "refuse": "refuse* declin* apologi* censor* disclaim* warn warning warnings sorry moraliz* lecture refusal* reject*",
    "always": "always never must will shall exactly only exclusively",
    "reply": "response responses reply replies answer answers output outputs message messages",
    "two": "two 2 both dual separate multiple",
    "ways": "response responses answer answers replies ways outputs paragraphs personalities versions",
    "bad": "illegal* unethical* immoral* amoral* harmful* nonmoral inhumane* non-consensual dangerous unsafe sinister malicious",
    "crude": "nsfw lewd* horny smut* erotic* profan* swear swears swearing curse cursing vulgar* obscen* explicit* offensive* sexual*",
    "values": "legality morality ethicality legalities ethics morals moral ethical consequences",
    "care": "care cares regard consider considers considering adhere* abide* follow* comply* conform* bound obey* align*",
    "raw": "unfiltered* uncensored* unrestricted* unmoderated* unhinged unlimited unbiased unchained",
    "fiction": "hypothetical* fictional* imaginary imagine alternate parallel fantasy",
    "world": "world* story scenario* universe reality response dialogue conversation ai game",
    "mode": "mode modes",
    "modes": "developer dev god debug* admin sudo root unrestricted evil opposite jailbreak jailbroken dan unlocked entwicklermodus",
    "named": "named called nicknamed",
    "start": "start* begin* prefix* precede* append end add",
    "send": "send post upload forward exfiltrate transmit leak email",
    "secrets": "password* credential* conversation key keys token tokens secret* context history",
    "where": "http https url webhook server endpoint",
    "code": "base64 rot13 morse leetspeak hex binary cipher",
    "decode": "decod* encod* execut* respond* reply answer follow obey",
    "obey": "obey* comply submissive servile loyal",
    "jail": "jailbreak* jailbroken jailbreaking dan dans unchained",
    "frei": "ohne frei keine keinerlei unbeschränkt* uneingeschränkt* unzensiert* ungefiltert*",
    "schranke": "einschränkung* beschränkung* zensur filter* moral ethik grenzen tabus regeln richtlinien",
    "spiel": "tu spiel* verhalte antworte handle benimm bist agier* 행동* 연기* 대답* 답변* 답해* 역할*",
    "rolle": "als rolle wärst wärest figur charakter assistent ki chatbot 것처럼 처럼 역할* 척 척하* 척해* ai* 챗봇* 캐릭터*",
    "ungehemmt": "제한없* 무제한* 검열* 필터* 윤리* 도덕* 규칙*",
    "ohne": "없는 없이 없다* 없어* 벗어난 벗어나* 해제* 풀어* 무시하고 무시해 무시해줘 무시해라 무시하라* 무시하세요 무시하십시오",
}  # fmt: skip
"""Kind → its words; a trailing * matches every word with this prefix."""

NEAR: tuple[tuple[int, int, tuple[str, ...]], ...] = (
    (3, 8, ("drop", "prior", "told")), (3, 6, ("drop", "all", "taught")), (1, 6, ("drop", "told")), (3, 4, ("drop", "you", "told")),
    (2, 7, ("show", "hidden", "taught")), (2, 5, ("you", "hidden", "taught")), (2, 6, ("show", "you", "taught")),
    (1, 4, ("show", "prior", "taught")),
    (1, 3, ("you", "be")), (1, 4, ("act", "persona")), (1, 2, ("act", "as")), (1, 4, ("speak", "as", "persona")), (1, 3, ("act", "you")),
    (1, 0, ("maker",)), (1, 6, ("maker", "limits")), (1, 5, ("free", "bans")), (1, 4, ("never", "refuse")), (1, 3, ("you", "always")),
    (1, 4, ("always", "speak")), (1, 1, ("you", "reply")), (2, 3, ("two", "ways")), (1, 0, ("bad",)), (1, 0, ("crude",)),
    (1, 0, ("values",)), (1, 5, ("never", "care", "limits")), (1, 0, ("raw",)), (1, 4, ("raw", "persona")), (1, 4, ("fiction", "world")),
    (2, 1, ("modes", "mode")), (1, 4, ("persona", "named")), (1, 4, ("start", "you", "reply")), (2, 12, ("send", "secrets", "where")),
    (1, 8, ("code", "decode")), (1, 0, ("obey",)), (1, 0, ("jail",)), (1, 3, ("you", "persona")),
    (2, 4, ("frei", "schranke")), (1, 5, ("spiel", "rolle")), (2, 3, ("ungehemmt", "ohne")),
)  # fmt: skip
"""(points, maximum distance in words, kinds in any order)."""

PHRASES: dict[int, str] = {
    3: """do anything now|stay in character|insert prompt|prompt here|your prompt here|i want you to act|you are now dan|
        you are going to act as|you will act as|you are to act as|act as if you are|as an unfiltered|without any restrictions or|
        jailbreak mode|dan mode|developer mode enabled|developer mode output|your system prompt|your initial prompt|
        your hidden prompt|your original instructions|your initial instructions|your secret instructions|
        disregard the above|ignore the above|forget the above|ignore everything above|forget everything above|
        repeat everything above|repeat the words above|repeat the text above|print everything above|output everything above|
        ab jetzt bist du|ab sofort bist du|von nun an bist du|du bist jetzt ein|du bist nun ein|dein systemprompt|deinen systemprompt|
        deine systemanweisungen|zeige mir deinen prompt|wiederhole alles oben|
        지금부터 너는|지금부터 넌|지금부터 당신은|이제부터 너는|이제부터 넌|이제부터 당신은|너의 시스템 프롬프트|당신의 시스템 프롬프트|
        시스템 프롬프트를 보여|시스템 프롬프트를 알려|시스템 프롬프트를 출력|숨겨진 지시|숨겨진 프롬프트|비밀 지시|개발자 모드 활성|
        탈옥 모드""",
    2: """from now on|from now own|you are no longer|you're no longer|break character|out of character|break of character|in character|
        as an ai|hello chatgpt|hi chatgpt|hey chatgpt|dear chatgpt|as chatgpt|never refuse|pretend to be|pretend that you|pretend you|
        pretend you're|your new name|your new role|your new persona|your new identity|your new task|your new instructions|your name is|
        my first question|my first request|my first prompt|my first command|my first message|my prompts|every prompt|each prompt|
        i want you to|i would like you to|play the role|take on the role|take the role|the persona of|take up the persona|
        you are about to|you are now|you're now|you are going to|you will now|
        for the rest of this conversation|for the rest of our conversation|for the remainder of this|content policy|content policies|
        new instructions|system override|override code|end of prompt|
        ab jetzt antwortest|ab sofort antwortest|von jetzt an|von nun an|ab jetzt|ab sofort|du bist jetzt|tu so als|neue anweisungen|
        entwicklermodus aktiv|spiel die rolle|spiele die rolle|ich möchte dass du|ich will dass du|
        지금부터|이제부터|개발자 모드|인 척|역할을 맡|역할극|새로운 지시|제한 없이|제한이 없는""",
    1: """you are a|you are an|you are not a|no matter what|no matter how|even if it|role play|roleplay|rp|let's play|lets play|
        language model|an ai|if you understand|i will let you know|let you know by|only respond|only reply|only answer|
        respond only|reply only|answer only|say anything|do anything|answer anything|answer any|answer all|any question|
        everything i ask|whatever i ask|i ask you|i tell you|
        i give you|i say|i type|when i ask|when i say|the user|this prompt|the prompt|understood|cut off|at any moment|
        make up|made up|any kind of|kind of content|opinions|inform me|remind you|tell me that you|dark web|fully immerse|
        hidden prompt|hidden instructions|secret instructions|secret prompt|
        next prompt|in the voice of|the following format|in this format|first paragraph|second paragraph|one normal|normal response|stay in|
        antworte nur|egal was|sprachmodell|keine regeln|언어 모델|무조건|반드시 대답|어떤 질문이든|뭐든지""",
}  # fmt: skip
MARKS = (
    "<|im_start", "<|im_end", "<|system", "<|endoftext", "<|user", "<|assistant", "[inst]", "[/inst]", "<<sys>>",
    "### system", "### instruction",
)  # fmt: skip
"""Delimiters of chat templates."""
GAPS = ("[prompt", "[insert", "[input", "[your prompt", "[role", "[character", "[topic", "<prompt>", "{prompt", "(prompt)")
"""Placeholders of jailbreak prompts that are passed around."""
