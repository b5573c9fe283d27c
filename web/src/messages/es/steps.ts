import type * as en from '../steps'
import type { Translated } from '../translated'

export const stepStates: Translated<typeof en.stepStates> = {
  done: 'hecho',
  current: 'ahora mismo',
  waiting: 'en espera',
  failed: 'fallido',
  ended: 'terminado',
  next: 'todavía no',
}
