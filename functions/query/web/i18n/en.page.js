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
}
