/**
 * What people type and paste, understood before it is formatted or counted. Blanks, dashes and digits become those of a
 * keyboard, whatever their kind; what cannot be seen is removed. Nothing is cut: a text that is too long stays so.
 */

/** Controls, marks of direction, joiners, fillers and variation selectors: they have no width. */
const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Decimal digits of all scripts lie in rows of ten. */
function digit(char: string): string {
  const code = char.codePointAt(0) ?? 0
  let value = 0
  while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1
  return String(value % 10)
}

/** The text as a keyboard would have written it. */
export function plain(text: string): string {
  return text
    .replace(/[\t-\r\x85\p{Z}]/gu, ' ')
    .replace(invisible, '')
    .normalize('NFKC')
    .replace(invisible, '')
    .replace(/\p{Nd}/gu, digit)
    .replace(/[\p{Pd}\u2212\u02d7]/gu, '-')
    .replace(/\p{Z}/gu, ' ')
}

/** Nothing but the digits. */
export const digitsOf = (text: string) => plain(text).replace(/\D/g, '')

/** The number of a card or an account, without what people write between its groups. */
export const squeezed = (text: string) => plain(text).replace(/[ .·_-]/g, '')

/** Does it have something in it that cannot be seen? */
export const hasInvisible = (text: string) => text.trim().search(invisible) >= 0

/** An address as a keyboard would have written it, without blanks between its groups; each other character counts. */
export const addressOf = (text: string) => plain(text).replace(/ /g, '')

/**
 * Several lines, as they are stored: joiners stay, because scripts and pictures are written with them. Letters are
 * composed: some systems copy each accent as a character of its own.
 */
export function linesOf(text: string): string {
  return text
    .replace(/\r\n?|[\x85\u2028\u2029]/g, '\n')
    .replace(/(?!\n|\t|\u200c|\u200d|[\u{e0020}-\u{e007f}])[\p{Cc}\p{Cf}]/gu, '')
    .normalize('NFC')
    .trim()
}

/** How many characters of it count: those of the cleaned text, as the server counts them. */
export const sizeOf = (text: string) => [...linesOf(text)].length
