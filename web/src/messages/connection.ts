/** What a page says of its way to the server. */
export const connection = {
  lost: 'We can’t reach the server. We’ll keep trying. What you entered is still here.',
  since: (time: string) => `Last updated at ${time}.`,
  slow: 'This is taking longer than usual.',
  newer: 'A new version of this site is available.',
  reload: 'Reload',
} as const
