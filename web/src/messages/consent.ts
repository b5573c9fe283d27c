/** The question for consent to a new version of a legal text. */
export const consent = {
  title: 'Our terms have changed',
  text: 'Read and accept them to buy and sell. Your open orders continue.',
  version: (title: string, version: string) => `${title}, version ${version}`,
  changes: 'What has changed',
  accept: 'I have read and accept',
  later: 'Not now',
  failed: 'Your consent could not be saved',
} as const
