import type * as en from '../actions'
import type { Translated } from '../translated'

export const actionTexts: Translated<typeof en.actionTexts> = {
  kinds: {
    pay: 'Paga esta orden',
    choose: 'Elige cómo sigue esta orden',
    address: 'Ingresa otra dirección',
    confirm_address: 'Confirma el enlace de tu correo',
    confirm_order: 'Confirma por correo',
    identity: 'Verifica de nuevo tu identidad',
  },
  by: (what, time) => `${what} antes del ${time}`,
  left: (left) => `(quedan ${left})`,
  open: 'Abrir la orden',
  heldAccount:
    'Por ahora no puedes comprar, vender, canjear ni retirar, y las órdenes abiertas están en pausa. Tu dinero está a salvo.',
}
