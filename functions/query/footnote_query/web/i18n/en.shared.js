// Texts of sharing a conversation, and of the page that shows a shared one.

export default {
  share: 'Share the conversation',
  share_text: 'Whoever has the link and can sign in reads the questions and answers up to now. What they may not read of the sources is withheld from them.',
  share_valid: 'Valid for',
  share_days: { one: '{n} day', other: '{n} days' },
  share_forever: 'until it is deleted',
  share_make: 'Make a link',
  share_link: 'Link',
  share_copy: 'Copy the link',
  share_made: 'Copy the link now. It is shown only this once.',
  share_created: 'Link made',
  share_until: 'valid until {date}',
  share_no_end: 'valid until it is deleted',
  share_delete: 'Delete the link',
  share_deleted: 'The link was deleted. It opens nothing any more.',
  shared: 'Shared conversation',
  shared_back: 'Ask your own question',
  shared_about: 'Someone shared these questions and answers with you. You see what your own permissions allow.',
  shared_gone: 'This link is unknown, was deleted or has expired. Ask for a new one.',
  shared_withheld: 'This answer is not shown to you: a source of it was changed or deleted, or you cannot read it.',
  shared_part: 'A part of this answer is not shown to you: a source of it was changed or deleted, or you cannot read it.',
}
