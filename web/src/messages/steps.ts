/** Where a step of a timeline stands, for those who do not see its mark. */
export const stepStates = {
  done: 'done',
  current: 'happening now',
  waiting: 'waiting',
  failed: 'failed',
  ended: 'ended',
  next: 'not yet',
} as const
