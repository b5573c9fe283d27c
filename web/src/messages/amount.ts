/** What an amount field says of what was typed into it. */
export const amount = {
  choose: 'Which amount do you mean?',
  refused: {
    sign: 'Enter the amount without a plus or minus sign.',
    exponent: 'Write the amount out, such as 1000. Powers such as 1e3 are not read.',
    hidden: 'The text contains hidden characters. Type the amount instead of pasting it.',
    digits: 'Use the digits 0 to 9.',
    shape: 'This is not an amount. Enter one such as 1234.50.',
    long: 'This amount has too many digits.',
  },
  unit: (unit: string) =>
    unit ? `Enter the amount in ${unit}, with no other currency or letters.` : 'Enter digits only.',
  positive: 'Enter an amount above zero.',
  tooFine: (unit: string, places: number) => `${unit} amounts have at most ${places} decimals.`,
  use: (shown: string) => `Use ${shown}`,
} as const
