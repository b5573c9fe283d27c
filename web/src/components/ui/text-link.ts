/** A link within text and tables of the back office: known by its colour and by its line. */
export const textLink =
  'rounded-sm text-primary underline decoration-primary/40 underline-offset-4 hover:decoration-current'
