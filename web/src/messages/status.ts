export const statusLabels = {
  order: {
    pending: 'Payment Pending',
    payment_approved: 'Payment Approved',
    fulfilling: 'Fulfilling',
    filled: 'Filled',
    sent: 'Sent',
    failed: 'Failed',
  },
  legacy: {
    pending: 'Pending',
    payment_processing: 'Payment processing',
    completed: 'Completed',
    failed: 'Failed',
    cancelled: 'Cancelled',
  },
  payment: { pending: 'Pending', approved: 'Approved', declined: 'Declined' },
  kyc: { not_started: 'Not Verified', pending: 'Under Review', approved: 'Verified', rejected: 'Rejected' },
  customerKyc: {
    not_started: 'Not started',
    pending: 'Pending',
    verified: 'Verified',
    enhanced: 'Enhanced',
    rejected: 'Rejected',
  },
  authorised: 'Authorized',
  action: 'Action needed',
  /** How an order ended that is no failure to its customer. */
  ended: { declined: 'Declined', expired: 'Expired', refunded: 'Refunded', disputed: 'Disputed' },
  /** What the dashboard says of an identity. */
  identity: { verified: 'Verified', rejected: 'Rejected', other: 'Pending' },
} as const
