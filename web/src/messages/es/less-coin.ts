import type * as en from '../less-coin'
import type { Translated } from '../translated'

export const lessCoin: Translated<typeof en.lessCoin> = {
  title: 'Un reembolso con menos cripto: ¿lo aceptas?',
  text: (refund, place) => `Podemos reembolsar ${refund} a ${place}. Recibirías menos cripto.`,
  toCard: 'tu tarjeta',
  toBalance: 'tu saldo',
  now: 'Recibes ahora',
  after: 'Con el reembolso',
  refund: 'Reembolso',
  until: 'Si no respondes, nada cambia. La oferta termina',
  working: 'Un momento…',
  back: 'Volver',
  failed: 'No se guardó tu respuesta',
  failedText: 'Inténtalo de nuevo.',
  agree: {
    button: 'Acepto',
    title: '¿Aceptas menos cripto?',
    text: (coin, refund) => `Recibes ${coin} y te reembolsamos ${refund}. Esto no se puede deshacer.`,
    done: 'Aceptado. Tu reembolso está en camino.',
  },
  decline: {
    button: 'Mantener mi orden como está',
    title: '¿Mantener tu orden como está?',
    text: (coin, refund) => `Recibes ${coin} como lo pediste, y no se reembolsan ${refund}.`,
    done: 'Tu orden sigue como está.',
  },
  row: 'Reembolsado con menos cripto',
}
