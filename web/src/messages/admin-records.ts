/** What the back office calls the parts of every record and queue. */
export const records = {
  all: 'All',
  open: 'Open',
  underWay: 'A decision is being carried out',
  emptyFiltered: 'Try adjusting your filters',
  statusFilter: 'Filter by status',
  workflow: 'Workflow',
  decisions: 'Decisions',
  noDecisions: 'Nobody has decided yet.',
  ledger: 'Ledger',
  noPostings: 'Nothing was booked.',
  story: 'Story',
  reveal: 'Reveal',
  revealing: 'Opening…',
  hide: 'Hide',
  checks: 'Checks',
  results: { pass: 'In order', warn: 'Look closer', fail: 'Not to be approved' },
  lookKey: 'Reveal, hide',
  waits: 'Has waited',
  previous: 'Previous',
  next: 'Next',
  place: (place: string, of: string) => `${place} of ${of}`,
  toList: 'Back to the list',
  openRow: 'Open',
  keysOn: 'Turn keyboard shortcuts on',
  keysOff: 'Turn shortcuts off',
  search: 'Find',
  searchPlaceholder: 'Reference, name or e-mail',
} as const

/** What staff write down among themselves about a record. */
export const notes = {
  title: 'Staff notes',
  none: 'Nobody has noted anything.',
  field: 'New note',
  add: 'Add note',
  failedText: 'Failed to store the note. Please try again.',
} as const
