import type * as en from '../actions'
import type { Translated } from '../translated'

export const actionTexts: Translated<typeof en.actionTexts> = {
  mark: 'Acción necesaria',
  kinds: {
    pay: 'Paga esta orden',
    choose: 'Elige cómo sigue esta orden',
    address: 'Escribe otra dirección',
    identity: 'Verifica de nuevo tu identidad',
  },
  by: (what, time, left) => `${what} antes del ${time} (quedan ${left})`,
  one: 'Una orden te necesita',
  many: (count) => `${count} órdenes te necesitan`,
  open: 'Abrir la orden',
  all: 'Ver todas las órdenes',
}
