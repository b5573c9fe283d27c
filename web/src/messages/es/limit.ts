import type * as en from '../limit'
import type { Translated } from '../translated'

export const limit: Translated<typeof en.limit> = {
  left: (size, most) => `${size} de ${most} caracteres`,
  over: (field, size, most, more) =>
    `${field}: ${size} caracteres; el máximo es ${most}. Quita ${more}. No cortamos nada.`,
}
