import type * as en from '../connection'
import type { Translated } from '../translated'

export const connection: Translated<typeof en.connection> = {
  lost: 'El servidor no responde. Seguimos intentándolo y no se pierde nada de lo que escribiste.',
  since: (time) => `Lo que ves estaba al día a las ${time}.`,
  slow: 'Esto está tardando más de lo habitual. Espera, por favor.',
  newer: 'Hay una nueva versión de este sitio.',
  reload: 'Cargarla',
}
