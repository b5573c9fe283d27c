import type * as en from '../order-page'
import type { Translated } from '../translated'

export const orderPage: Translated<typeof en.orderPage> = {
  pay: {
    title: 'Paga con tarjeta',
    text: 'Pagas en la página de Stripe y vuelves aquí. Autorizamos tu tarjeta ahora y la cobramos cuando aceptamos la orden.',
    button: 'Pagar ahora',
    preparing: 'Preparando el pago…',
    preparingHint: 'Suele tardar menos de un segundo. Después el botón aparece aquí.',
    refused: 'Tu tarjeta fue rechazada',
    again: 'No se cobró nada. Puedes intentarlo de nuevo con otra tarjeta.',
    until: (left) => `Paga en los próximos ${left}. Después, la orden vence y no se cobra nada.`,
    over: 'El plazo para pagar terminó.',
    confirming: 'Estamos confirmando tu pago',
    confirmingText: 'Esperamos a tu banco. No pagues de nuevo. Esta página se actualiza automáticamente.',
    authorised: 'Tu pago está autorizado',
    authorisedText:
      'Estamos revisando la orden. Si la aceptamos, cobramos tu tarjeta. Si no, liberamos la retención.',
  },
  transfer: {
    title: 'Cómo pagar',
    lead: 'Envía exactamente este monto, con esta referencia.',
    titleRest: 'Cómo enviar el resto',
    leadRest: (missing) =>
      `Envía los ${missing} que faltan, con la misma referencia. Después, la orden continúa.`,
    rest: 'Monto que falta',
    deadline: 'Paga antes del',
    left: (time) => `Quedan ${time}`,
    referenceHint: 'Sin la referencia no podemos vincular tu pago con esta orden.',
    received: 'Cuando llegue tu pago, lo confirmamos aquí.',
  },
  evidence: {
    title: 'Comprobante de pago',
    text: 'Sube tu comprobante para que encontremos el pago antes. JPEG o PNG, de 10 MB como máximo.',
    receipt: 'Comprobante',
    cardPhoto: 'Foto de la tarjeta',
    cardPhotoNotice:
      'Cubre todo menos los últimos cuatro dígitos. Eliminamos la foto en cuanto hayamos decidido.',
    choose: 'Elige una imagen',
    upload: 'Subir',
    uploading: 'Subiendo…',
    done: 'Subida',
    doneText: 'Ya tenemos tu imagen.',
    replace: 'Subir otra',
    failed: 'No se pudo subir',
    failedText: 'No pudimos subir la imagen. Inténtalo de nuevo.',
    tooLarge: 'Elige una imagen de menos de 10 MB.',
    wrongType: 'Elige una imagen JPEG o PNG.',
  },
  cancel: {
    button: 'Cancelar la orden',
    title: '¿Cancelar esta orden?',
    text: (amount, total) => `${amount} por ${total}. No se cobra nada. No se puede deshacer.`,
    onItsWay: '¿Ya enviaste el dinero? Conserva la orden: asociamos tu pago cuando llegue.',
    confirm: 'Cancelar la orden',
    keep: 'Conservar la orden',
    done: 'Orden cancelada',
    doneText: 'No se cobró nada.',
    failed: 'No pudimos cancelar la orden',
    failedText: 'Inténtalo de nuevo.',
    pending: 'Cancelando…',
  },
}
