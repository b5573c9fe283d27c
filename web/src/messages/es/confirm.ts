import type * as en from '../confirm'
import type { Translated } from '../translated'

export const confirmTexts: Translated<typeof en.confirmTexts> = {
  waits: 'Acción necesaria: confirma por correo',
  check: 'Revisa y confirma',
  of: {
    payout:
      'Reservamos el monto. Revisamos el retiro después de que abras el enlace que te enviamos por correo y lo confirmes.',
    export:
      'Preparamos tus datos después de que abras el enlace que te enviamos por correo y confirmes el pedido.',
    order:
      'Esta dirección de billetera es nueva. El precio queda fijo y el monto, reservado, hasta que abras el enlace que te enviamos por correo y confirmes la orden.',
  },
  until: 'Confirma antes del',
  confirm: 'Confirmar',
  confirming: 'Confirmando…',
  done: 'Confirmado',
  failed: 'No pudimos hacerlo. Inténtalo de nuevo.',
  again: 'Enviar el enlace de nuevo',
  sending: 'Enviando…',
  sentAgain: 'Enlace enviado',
  used: 'Aquí ya no hay nada que confirmar',
  usedText: 'El enlace ya se usó o venció. Abajo ves en qué estado está.',
}
