import type { Language } from '../locale'

export { languages } from '../locale'

export const language: Language = 'es'

/** Spanish of the United States: money is dollars, and the decimal point is the one people type amounts with. */
export const locale: string = 'es-US'

/** "2 nov"; two digits would make it "02-nov". */
export const shortDay: '2-digit' | 'numeric' = 'numeric'
