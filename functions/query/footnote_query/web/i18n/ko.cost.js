// 언어 모델의 비용에 대한 문구.

export default {
  cost_unknown: '다음 모델에 가격이 없어 비용을 알 수 없습니다: {models}.',
  cost_set_prices: '가격 설정',
  cost_ask_admin: '관리자가 가격을 설정할 수 있습니다.',
  cost_no_model: '연결된 언어 모델이 없고 이 기간에 사용된 모델도 없어 비용이 없습니다.',
  cost_no_tokens: '이 기간에 언어 모델이 사용되지 않아 비용이 없습니다.',
}
