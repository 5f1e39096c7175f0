// Texts of the list of conversations, and of what helps to work with answers.

export default {
  conversation_search: '대화 검색',
  conversations_pinned: '고정됨',
  conversations_today: '오늘',
  conversations_yesterday: '어제',
  conversations_week: '지난 7일',
  conversations_older: '이전',
  conversations_found: '대화 {n}개를 찾았습니다',
  conversations_none_found: '제목에 이 단어가 있는 대화가 없습니다.',
  conversation_pin: '“{title}” 고정',
  conversation_rename: '“{title}” 이름 바꾸기',
  conversation_name: '대화 이름',

  regenerate: '답변 다시 생성',
  edit_question: '수정하여 다시 보내기',
  copy_code: '코드 복사',

  shortcuts: '키보드 단축키',
  show_palette: '명령 (Ctrl K)',

  advanced: '고급',
  modes_need_model: '‘모델만’과 ‘도구 사용 에이전트’에는 언어 모델이 필요합니다.',

  theme: '테마',
  theme_system: '기기 설정에 따름',
  theme_light: '밝게',
  theme_dark: '어둡게',
  usage: '내 사용량',
  usage_today: '오늘(UTC)',
  usage_days: '지난 {n}일',
  usage_questions: '질문 {n}개',
  usage_unlimited: '설정된 예산이 없습니다.',
  usage_spent: '오늘 예산의 {percent}%를 사용했습니다',
  usage_tokens_limit: '하루 토큰 {n}개',
  usage_money_limit: '하루 {cost}',
  usage_search: '예산을 모두 사용했습니다. 내일(UTC)까지는 모델 없이 문서를 인용해 답합니다.',
  usage_cheaper: '예산이 거의 소진되어 더 저렴한 모델이 답합니다.',

  attach: '파일 첨부',
  attachments: '첨부한 파일',
  attachment_remove: '{name} 첨부 취소',
  attachment_ready: '{name} 파일이 준비되었습니다.',
  attachment_failed: '{name} 파일을 첨부하지 못했습니다.',
  attachments_wait: '파일을 다 읽으면 바로 질문을 보냅니다.',
  attachments_unread: '‘모델만’에서는 첨부한 파일을 읽지 않습니다. 고급에서 ‘문서’를 선택하세요.',
  drop_attach: '놓으면 질문에 첨부됩니다',
}
