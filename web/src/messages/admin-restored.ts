/** What staff read about money that a restored backup holds open: the bank may have sent it since. */
export const restored = {
  title: 'This may have been sent already',
  look: (status: string) => `${status} · check the bank`,
  payout:
    'A backup was restored. Read the bank’s statement since the backup. If it shows the transfer, approve it with what you read, then confirm it with its reference. If not, enter what you read, then reveal or reject.',
  money:
    'A backup was restored. Read the bank’s statement since the backup. If it shows that the money was sent back, mark it as sent back. If not, enter what you read when you match or credit it.',
  credit:
    'A backup was restored, or the person who entered a transfer lost the role. Read the bank’s statement. If it shows the transfer, enter its reference. If not, enter what you read and no reference: what the customer owes is deducted, and you can then send the rest.',
  statement: 'The bank’s statement since the backup',
  statementHint:
    'Which statement did you read, and what does it show? Recorded in the audit log under your name.',
} as const
