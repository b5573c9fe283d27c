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
} as const
