/** What forms say of what was typed into them, and of what became of it. */
export const form = {
  restored: 'What you typed before is still here.',
  restoredPartly:
    'What you typed before is still here. For your safety, codes and account numbers are not kept: enter them again.',
  startOver: 'Empty the form',
  notSent: 'This was not sent',
  /** Nothing answered, and nothing of value moves. */
  noAnswer:
    'The server did not answer. What you entered is still here. Press the button again when you are connected.',
  unknown: 'We do not know yet whether this went through',
  /** Nothing answered, and value may have moved. */
  unknownText:
    'The answer was lost on its way. Press the button again to find out: it is the same request, and is carried out only once.',
  lookUp: 'Look at your orders',
} as const
