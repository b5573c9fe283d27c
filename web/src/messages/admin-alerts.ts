import type { StaffAlert } from '@/api/types.gen'

/** What staff read about alerts. */
export const adminAlerts = {
  title: 'Alerts',
  lead: 'What has been wrong for too long. An alert closes 15 minutes after its cause is gone.',
  fetchFailed: 'Failed to fetch the alerts',
  view: 'View',
  views: { open: 'Open', acknowledged: 'Acknowledged', past: 'Past' } satisfies Record<
    StaffAlert['state'],
    string
  >,
  empty: 'No alerts here',
  hints: {
    open: 'Nothing has been wrong for too long.',
    acknowledged: 'Nobody is working on an alert.',
    past: 'No alert has closed yet.',
  } satisfies Record<StaffAlert['state'], string>,
  alert: 'Alert',
  about: 'About',
  open: 'Open',
  acknowledged: 'Acknowledged',
  going: 'Gone, closes soon',
  closed: 'Closed',
  opened: 'Opened',
  problem: 'Problem',
  by: 'Acknowledged by',
  note: 'Note',
  lasted: 'Duration',
  lookAt: 'Open page',
  acknowledge: 'Acknowledge',
  dialogTitle: 'Acknowledge this alert?',
  noteField: 'Note (optional)',
  notePlaceholder: 'What you do about it',
  done: 'Alert acknowledged',
  failed: 'Not acknowledged',
  failedText: 'Try again.',
} as const
