import { digitsOf } from '@/lib/clean'

/** A voucher's code as specification §5 has it: 16 digits in groups of four with dashes. One too long stays so. */
export const CODE_LENGTH = 19

export function codeTyped(typed: string): string {
  return digitsOf(typed).replace(/(\d{4})(?=\d)/g, '$1-')
}
