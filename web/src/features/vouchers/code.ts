/** A voucher's code as specification §5 has it typed: digits only, at most 16, in groups of four with dashes. */
export const CODE_LENGTH = 19

export function codeTyped(typed: string): string {
  const digits = typed.replace(/\D/g, '').slice(0, 16)
  return digits.replace(/(\d{4})(?=\d)/g, '$1-')
}
