// What is said about the cost of language models.

export default {
  cost_unknown: 'The cost is unknown, because these models have no price: {models}.',
  cost_set_prices: 'Set their prices',
  cost_ask_admin: 'An admin can set their prices.',
  cost_no_model: 'No language model is connected, and none was used in this period: there is no cost.',
  cost_no_tokens: 'No language model was used in this period: there is no cost.',
}
