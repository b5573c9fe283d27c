import type * as en from '../consent'
import type { Translated } from '../translated'

export const consent: Translated<typeof en.consent> = {
  title: 'Nuestros términos cambiaron',
  text: 'Léelos y acéptalos para comprar y vender. Las órdenes en curso continúan.',
  version: (title, version) => `${title}, versión ${version}`,
  changes: 'Qué cambió',
  accept: 'Lo he leído y acepto',
  later: 'Ahora no',
  failed: 'No pudimos guardar tu aceptación',
}
