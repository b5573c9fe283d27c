import type * as en from '../form'
import type { Translated } from '../translated'

export const form: Translated<typeof en.form> = {
  restored: 'Guardamos lo que escribiste.',
  restoredPartly:
    'Guardamos lo que escribiste, menos los códigos y los números de cuenta. Escríbelos de nuevo.',
  startOver: 'Vaciar el formulario',
  notSent: 'No se envió',
  noAnswer:
    'No pudimos conectar con el servidor. Lo que escribiste sigue aquí. Revisa tu conexión e inténtalo de nuevo.',
  unknown: 'No sabemos si esto se realizó',
  unknownText: 'Se perdió la conexión. Presiona el botón de nuevo para comprobarlo. No lo haremos dos veces.',
  lookUp: 'Ver tus órdenes',
}
