/** What the card of the identity says, on the dashboard and on its page. */
export const identity = {
  cardTitle: 'Identity Verification',
  text: {
    approved: 'Your identity is verified. All features unlocked!',
    pending: (minutes: string) =>
      minutes
        ? `Your documents are being reviewed. Usually takes ${minutes} minutes.`
        : 'Your documents are being reviewed.',
    rejected: 'Verification failed. Please try again.',
    other: 'Verify your identity to unlock higher trading limits.',
  },
  rejectedFinal: 'We couldn’t verify your identity, and you can’t try again. Contact support.',
  needed: 'You can buy once your identity is verified.',
  moreAsked: 'We need more from you to verify your identity.',
  onHold: 'Your review is delayed. You don’t need to do anything.',
  preparing: 'We’re preparing your verification. You can start in a moment.',
  ended: {
    refused: 'We withdrew your approval.',
    reset: 'We withdrew your approval. Verify your identity again.',
    deleted: 'Our verification partner no longer has your documents. Verify your identity again.',
    deactivated: 'Your verification is no longer active.',
    staff: 'We withdrew your approval.',
    expired: 'Your verification has expired. Verify your identity again.',
  },
  support: 'Contact support',
  continueLabel: 'Continue',
  renew: 'Renew now',
  start: 'Start Verification',
  tryAgain: 'Try Again',
} as const
