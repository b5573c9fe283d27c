import type * as en from '../form'
import type { Translated } from '../translated'

export const form: Translated<typeof en.form> = {
  restored: 'Lo que escribiste antes sigue aquí.',
  restoredPartly:
    'Lo que escribiste antes sigue aquí. Por tu seguridad, los códigos y los números de cuenta no se guardan: escríbelos de nuevo.',
  startOver: 'Vaciar el formulario',
  notSent: 'Esto no se envió',
  noAnswer:
    'El servidor no respondió. Lo que escribiste sigue aquí. Presiona el botón de nuevo cuando tengas conexión.',
  unknown: 'Todavía no sabemos si esto se realizó',
  unknownText:
    'La respuesta se perdió en el camino. Presiona el botón de nuevo para saberlo: es la misma solicitud y se realiza una sola vez.',
  lookUp: 'Ver tus órdenes',
}
