/** A link within text and tables: marked by its colour and by its underline. */
export const textLink =
  'rounded-sm text-primary underline decoration-primary/40 underline-offset-4 hover:decoration-current'
