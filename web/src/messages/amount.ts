/** What an amount field says of what was typed into it. */
export const amount = {
  choose: 'Which amount do you mean?',
  refused: {
    sign: 'Enter the amount without a plus or minus sign.',
    exponent: 'Enter the amount in full, such as 1000 instead of 1e3.',
    hidden: 'The text contains hidden characters. Type the amount instead of pasting it.',
    digits: 'Use the digits 0 to 9.',
    shape: 'Enter an amount such as 1234.50.',
    long: 'Enter an amount with fewer digits.',
  },
  unit: (unit: string) =>
    unit ? `Enter the amount in ${unit}, with no other currency or letters.` : 'Enter digits only.',
  positive: 'Enter an amount above zero.',
  tooFine: (unit: string, places: number) => `Enter at most ${places} decimals for ${unit}.`,
  use: (shown: string) => `Use ${shown}`,
} as const
