import { digitsOf, plain, squeezed } from '@/lib/clean'

/** specification §5: six digits. */
const DIGITS = 6
/** A backup code without its dashes. */
const BACKUP = 16

export interface Code {
  /** As the field shows it. */
  shown: string
  whole: boolean
  long: boolean
}

/** What was typed or pasted where a code is expected: a code of six digits, a backup code, or either. */
export function codeOf(text: string, backup?: 'only' | 'too'): Code {
  const digits = digitsOf(text)
  if (!backup || (backup === 'too' && /^[\d .·_-]*$/.test(plain(text))))
    return { shown: digits, whole: digits.length === DIGITS, long: digits.length > DIGITS }
  const bare = squeezed(text)
    .replace(/[^A-Za-z0-9]/g, '')
    .toUpperCase()
  return {
    shown: bare.replace(/(.{4})(?=.)/g, '$1-'),
    whole: bare.length === BACKUP,
    long: bare.length > BACKUP,
  }
}
