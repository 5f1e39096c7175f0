// 답변의 연결에 관한 텍스트.

export default {
  connections_text: '인용된 구절에 나오는 이름과 이들을 잇는 문장입니다. 이름을 선택하면 그에 관한 문장을 읽을 수 있고, 선을 누르면 해당 구절이 열립니다.',
  connections_picture: '이름과 그 연결입니다. 화살표 키로 이름 사이를 이동하며, 아래 목록에도 같은 내용이 있습니다.',
  connections_node: { one: '{name}: 연결 {n}개', other: '{name}: 연결 {n}개' },
  connections_cut: '이름 {all}개 중 연결이 가장 많은 {n}개를 표시합니다.',
  connections_list: '구절의 내용',
  connections_of: '{name}에 관한 구절의 내용',
  connections_all: { one: '모두 보기', other: '{n}개 모두 보기' },
  connections_said: { one: '문장 {n}개', other: '문장 {n}개' },
  connections_passage: '인용',
  connections_person: '인물',
  connections_organisation: '조직',
  connections_place: '장소',
  connections_product: '제품',
  connections_project: '프로젝트',
  connections_other: '기타',
}
