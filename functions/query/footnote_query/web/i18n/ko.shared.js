// 대화 공유와 공유된 대화를 보여 주는 페이지의 문구.

export default {
  share: '대화 공유',
  share_text: '링크가 있고 로그인할 수 있는 사람은 지금까지의 질문과 답변을 읽습니다. 읽을 권한이 없는 출처의 내용은 표시하지 않습니다.',
  share_valid: '유효 기간',
  share_days: { other: '{n}일' },
  share_forever: '삭제할 때까지',
  share_make: '링크 만들기',
  share_link: '링크',
  share_copy: '링크 복사',
  share_made: '지금 링크를 복사하세요. 이번 한 번만 표시합니다.',
  share_created: '링크 생성:',
  share_until: '{date}까지 유효',
  share_no_end: '삭제할 때까지 유효',
  share_delete: '링크 삭제',
  share_deleted: '링크를 삭제했습니다. 더 이상 열리지 않습니다.',
  shared: '공유된 대화',
  shared_back: '직접 질문하기',
  shared_about: '다른 사람이 이 질문과 답변을 공유했습니다. 내 권한으로 읽을 수 있는 내용만 보입니다.',
  shared_gone: '알 수 없거나 삭제되었거나 만료된 링크입니다. 새 링크를 요청하세요.',
  shared_withheld: '이 답변은 표시하지 않습니다. 출처가 변경되었거나 삭제되었거나 읽을 수 없는 문서입니다.',
  shared_part: '이 답변의 일부는 표시하지 않습니다. 출처가 변경되었거나 삭제되었거나 읽을 수 없는 문서입니다.',
}
