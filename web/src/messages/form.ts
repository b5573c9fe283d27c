/** What forms say of what was typed into them, and of what became of it. */
export const form = {
  restored: 'We kept what you entered.',
  restoredPartly: 'We kept what you entered, except codes and account numbers. Enter them again.',
  startOver: 'Clear the form',
  notSent: 'Not sent',
  /** Nothing answered, and nothing of value moves. */
  noAnswer:
    'We couldn’t reach the server. What you entered is still here. Check your connection and try again.',
  unknown: 'We don’t know if this went through',
  /** Nothing answered, and value may have moved. */
  unknownText: 'We lost the connection. Press the button again to check. We won’t do it twice.',
  lookUp: 'See your orders',
} as const
