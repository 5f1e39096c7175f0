// What the page says instead of the server's sentences about the language model, which name settings and commands: here it is connected in a form.

export default {
  'Connect one in the page, or with: footnote model set.': 'Connect one in the page.',
  'Start one of them, or connect another in the page or with: footnote model set.': 'Start one of them, or connect another in the page.',
  'Set another model in LLM__MODEL.': 'Choose another model.',
  'Set LLM__MODEL.': 'Enter the name of the model.',
  'Check LLM__BASE_URL.': 'Check its address.',
  'Check LLM__API_KEY.': 'Check the key.',
  'Check LLM__MODEL, and that LLM__BASE_URL ends in /v1.': 'Check the name of the model, and that the address ends in /v1.',
}
