/** What a field says of a text that is nearly or more than too long. */
export const limit = {
  left: (size: string, most: string) => `${size} of ${most} characters`,
  over: (field: string, size: string, most: string, more: string) =>
    `${field}: ${size} characters, at most ${most}. Remove ${more}. Nothing was cut.`,
} as const
