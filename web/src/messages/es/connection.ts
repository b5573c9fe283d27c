import type * as en from '../connection'
import type { Translated } from '../translated'

export const connection: Translated<typeof en.connection> = {
  lost: 'El servidor no responde. Seguimos intentándolo. Lo que escribiste sigue aquí.',
  since: (time) => `Última actualización: ${time}.`,
  slow: 'Esto está tardando más de lo habitual.',
  newer: 'Hay una versión nueva de este sitio.',
  reload: 'Recargar',
}
