/** The languages there are, each by its own name; `en` is the one every text exists in. */
export const languages = { en: 'English', es: 'Español' } as const

export type Language = keyof typeof languages

/** This build's language. The one of another language is in the folder of its name. */
export const language: Language = 'en'

/** How this build writes numbers, money, dates and times. */
export const locale: string = 'en-US'

/** How it writes the day in a short date: "Nov 02". */
export const shortDay: '2-digit' | 'numeric' = '2-digit'
