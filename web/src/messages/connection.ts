/** What a page says of its way to the server. */
export const connection = {
  lost: 'The server does not answer. We keep trying, and nothing you entered is lost.',
  since: (time: string) => `What you see was up to date at ${time}.`,
  slow: 'This is taking longer than usual. Please wait.',
  newer: 'There is a new version of this site.',
  reload: 'Load it',
} as const
