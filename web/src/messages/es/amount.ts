import type * as en from '../amount'
import type { Translated } from '../translated'

export const amount: Translated<typeof en.amount> = {
  choose: '¿A qué monto te refieres?',
  refused: {
    sign: 'Ingresa el monto sin signo de más ni de menos.',
    exponent: 'Ingresa el monto completo, como 1000 en lugar de 1e3.',
    hidden: 'El texto contiene caracteres ocultos. Escribe el monto en lugar de pegarlo.',
    digits: 'Usa los dígitos del 0 al 9.',
    shape: 'Ingresa un monto como 1234.50.',
    long: 'Ingresa un monto con menos dígitos.',
  },
  unit: (unit) =>
    unit ? `Ingresa el monto en ${unit}, sin otra moneda ni letras.` : 'Ingresa solo dígitos.',
  positive: 'Ingresa un monto mayor que cero.',
  tooFine: (unit, places) => `Ingresa como máximo ${places} decimales para ${unit}.`,
  use: (shown) => `Usar ${shown}`,
}
