import type * as en from '../amount'
import type { Translated } from '../translated'

export const amount: Translated<typeof en.amount> = {
  choose: '¿Qué monto quieres decir?',
  refused: {
    sign: 'Ingresa el monto sin signo de más ni de menos.',
    exponent: 'Escribe el monto completo, por ejemplo 1000. No leemos potencias como 1e3.',
    hidden: 'El texto contiene caracteres ocultos. Escribe el monto en lugar de pegarlo.',
    digits: 'Usa los dígitos del 0 al 9.',
    shape: 'Esto no es un monto. Ingresa uno como 1234.50.',
    long: 'Este monto tiene demasiados dígitos.',
  },
  unit: (unit) =>
    unit ? `Ingresa el monto en ${unit}, sin otra moneda ni letras.` : 'Ingresa solo dígitos.',
  positive: 'Ingresa un monto mayor que cero.',
  tooFine: (unit, places) => `Los montos en ${unit} tienen como máximo ${places} decimales.`,
  use: (shown) => `Usar ${shown}`,
}
