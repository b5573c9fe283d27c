import type { GiftCardEvent } from '@/api/types.gen'
import { usd } from '@/lib/format'
import type * as en from '../gift-cards'
import type { Translated } from '../translated'

export const giftCards: Translated<typeof en.giftCards> = {
  tradeTitle: 'Vender una tarjeta de regalo',
  tradeLead:
    'Una persona revisa tu tarjeta. Lo que paga se abona a tu saldo; si no podemos aceptarla, lees por qué y no se le descuenta nada.',
  brand: 'Marca',
  chooseBrand: 'Elige una marca',
  prepaidGroup: 'Tarjetas prepagadas',
  regularGroup: 'Tarjetas de regalo',
  value: 'Valor en USD',
  code: 'Número de la tarjeta',
  pin: 'PIN',
  expiry: 'Fecha de vencimiento (MM/AA)',
  expiryExample: 'MM/AA',
  securityCode: 'Código de seguridad',
  images: 'Fotos de la tarjeta (opcional)',
  imagesHint: (most) =>
    `JPEG o PNG, de 8 MB como máximo cada una, hasta ${most}. Con el frente y el reverso decidimos antes.`,
  addImages: 'Agregar fotos',
  removeImage: (name) => `Quitar ${name}`,
  wrongType: 'Solo se pueden subir imágenes JPEG y PNG.',
  tooLarge: 'Esta imagen pesa más de 8 MB.',
  tooMany: (most) => `Se pueden enviar ${most} imágenes como máximo.`,
  rate: 'Recibes el 85 % del valor',
  fee: 'Menos nuestra comisión',
  payout: 'Recibes',
  next: (days) =>
    `Te escribimos en cuanto se decida. Si nadie decide en ${days} días, la tarjeta vence aquí y no se habrá usado nada de ella.`,
  paysNothing: 'Descontada nuestra comisión, este valor no pagaría nada.',
  tooMuch: (most) => `Aceptamos tarjetas de hasta ${most}.`,
  submit: 'Enviar a revisión',
  submitting: 'Enviando…',
  submitted: 'Tarjeta de regalo enviada a revisión',
  failed: 'No se pudo enviar la tarjeta de regalo',
  required: 'Completa todos los campos obligatorios: ',
  missing: 'Completa este campo',
  fieldNames: {
    brand: 'Marca',
    value: 'Valor',
    cardCode: 'Número de la tarjeta',
    pin: 'PIN',
    expirationDate: 'Fecha de vencimiento',
    securityCode: 'Código de seguridad',
  },
  catalogueFailed: 'No se pudo cargar la lista de marcas',
  safety:
    'Los números y los códigos se cifran, solo los ve quien revisa la tarjeta y se destruyen cuando ya no se necesitan.',
  mine: 'Mis tarjetas de regalo',
  title: 'Mis tarjetas de regalo',
  lead: 'Lo que nos enviaste y qué pasó con ello.',
  fetchFailed: 'No se pudieron cargar las tarjetas de regalo',
  empty: 'Todavía no hay tarjetas de regalo',
  emptyHint: 'Vende una en tu panel: toma un minuto.',
  sell: 'Vender una tarjeta de regalo',
  open: 'Abrir',
  facts: 'Tarjeta de regalo',
  reference: 'Referencia',
  type: 'Tipo',
  types: { regular: 'Tarjeta de regalo', prepaid: 'Tarjeta prepagada' },
  offered: 'Pago ofrecido',
  confirmed: 'Valor que comprobamos',
  credited: 'Abonado',
  sent: 'Enviada',
  decided: 'Decidida',
  until: 'Se decide antes de',
  pictures: 'Tus fotos',
  picture: (n) => `Foto ${n}`,
  story: 'Qué pasó',
  balance: 'Ver tu saldo',
  rejectedTitle: 'No pudimos aceptar esta tarjeta',
  rejectedHint: 'No le descontamos nada. Puedes enviarla de nuevo cuando se corrija el problema.',
  approvedTitle: 'Tu tarjeta fue aprobada',
  approvedText: (amount) => `${amount} están en tu saldo, listos para usar.`,
  reviewTitle: 'Estamos revisando tu tarjeta',
  reviewText: 'Te escribimos en cuanto se decida. No tienes que hacer nada.',
  expiredTitle: 'No revisamos esta tarjeta a tiempo',
  expiredText: 'Lo sentimos. No le descontamos nada, y puedes enviarla de nuevo cuando quieras.',
}

export const giftCardStatus: Translated<typeof en.giftCardStatus> = {
  in_review: 'En revisión',
  approved: 'Aprobada',
  rejected: 'Rechazada',
  expired: 'Vencida',
}

const figure = (event: GiftCardEvent, name: string) =>
  usd(typeof event.data[name] === 'string' ? event.data[name] : undefined)

export const giftCardStory: Translated<typeof en.giftCardStory> = {
  submitted: (event) => `Enviada por ${figure(event, 'value')}; pagaría ${figure(event, 'payout')}`,
  review_started: () => 'Revisada automáticamente y entregada a una persona',
  duplicate: (event) =>
    `La misma tarjeta ya se había enviado, como ${String(event.data.of ?? 'otra tarjeta')}`,
  review_late: () => 'Se recordó la revisión al equipo',
  approved: (event) => `Aprobada por ${figure(event, 'value')}; ${figure(event, 'paid')} abonados`,
  rejected: () => 'Rechazada',
  expired: () => 'Nadie decidió a tiempo',
  realisation_late: () => 'Se recordó al equipo de finanzas',
  realised: (event) => `Cobrada: entraron ${figure(event, 'amount')}`,
  revealed: () => 'Quien la revisa vio lo que lleva impreso',
  secrets_destroyed: () => 'Se destruyó lo que la tarjeta lleva impreso',
}
