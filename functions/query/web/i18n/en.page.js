// Texts of the list of conversations, and of what helps to work with answers.

export default {
  conversation_search: 'Search conversations',
  conversations_pinned: 'Pinned',
  conversations_today: 'Today',
  conversations_yesterday: 'Yesterday',
  conversations_week: 'Last 7 days',
  conversations_older: 'Older',
  conversations_found: { one: '{n} conversation found', other: '{n} conversations found' },
  conversations_none_found: 'No conversation has these words in its title.',
  conversation_pin: 'Pin “{title}”',
  conversation_rename: 'Rename “{title}”',
  conversation_name: 'Name of the conversation',

  regenerate: 'Regenerate the answer',
  edit_question: 'Edit and resend',
  copy_code: 'Copy the code',

  shortcuts: 'Keyboard shortcuts',
  show_palette: 'Commands (Ctrl K)',

  advanced: 'Advanced',
  modes_need_model: '“Model only” and “Agent with tools” need a language model.',

  theme: 'Theme',
  theme_system: 'As on this device',
  theme_light: 'Light',
  theme_dark: 'Dark',
  usage: 'Your usage',
  usage_today: 'Today (UTC)',
  usage_days: 'Last {n} days',
  usage_questions: { one: '{n} question', other: '{n} questions' },
  usage_unlimited: 'No budget is set for you.',
  usage_spent: '{percent} % of today’s budget is used',
  usage_tokens_limit: { one: '{n} token a day', other: '{n} tokens a day' },
  usage_money_limit: '{cost} a day',
  usage_search: 'It is used up: until tomorrow (UTC), answers are quoted from the documents without a model.',
  usage_cheaper: 'It is nearly used up: a cheaper model answers.',

  attach: 'Attach files',
  attachments: 'Attached files',
  attachment_remove: 'Remove {name}',
  attachment_ready: '{name} is ready.',
  attachment_failed: '{name} could not be attached.',
  attachments_wait: 'The question is sent as soon as the files are read.',
  attachments_unread: '“Model only” does not read the attached files. Choose “Documents” under Advanced.',
  drop_attach: 'Drop to attach to the question',
}
