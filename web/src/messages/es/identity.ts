import type * as en from '../identity'
import type { Translated } from '../translated'

export const identity: Translated<typeof en.identity> = {
  cardTitle: 'Verificación de identidad',
  text: {
    approved: 'Tu identidad está verificada. ¡Ya puedes usar todas las funciones!',
    pending: (minutes) =>
      `Estamos revisando tus documentos.${minutes ? ` Suele tardar ${minutes} minutos.` : ''}`,
    rejected: 'La verificación falló. Inténtalo de nuevo.',
    other: 'Verifica tu identidad para tener límites más altos.',
  },
  rejectedFinal: 'No pudimos verificar tu identidad y no puedes intentarlo de nuevo. Contacta a soporte.',
  needed: 'Puedes comprar cuando tu identidad esté verificada.',
  moreAsked: 'Necesitamos algo más para verificar tu identidad.',
  onHold: 'Tu revisión está demorada. No tienes que hacer nada.',
  preparing: 'Estamos preparando tu verificación. Puedes comenzar en un momento.',
  ended: {
    refused: 'Retiramos tu aprobación.',
    reset: 'Retiramos tu aprobación. Verifica tu identidad de nuevo.',
    deleted: 'Nuestro proveedor de verificación ya no tiene tus documentos. Verifica tu identidad de nuevo.',
    deactivated: 'Tu verificación ya no está activa.',
    staff: 'Retiramos tu aprobación.',
    expired: 'Tu verificación venció. Verifica tu identidad de nuevo.',
  },
  support: 'Contactar a soporte',
  continueLabel: 'Continuar',
  renew: 'Renovar ahora',
  start: 'Iniciar la verificación',
  tryAgain: 'Intentar de nuevo',
}
