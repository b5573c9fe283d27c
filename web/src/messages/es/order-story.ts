import type * as en from '../order-story'
import type { Translated } from '../translated'

const to = (destination: string | undefined) =>
  destination === 'card' ? ' a tu tarjeta' : destination === 'balance' ? ' a tu saldo' : ''

export const eventTexts: Translated<typeof en.eventTexts> = {
  created: 'Orden creada',
  confirmation_requested: 'El monto se reservó; se envió el enlace por correo',
  checkout_ready: 'Página de pago lista',
  card_declined: 'La tarjeta fue rechazada; no se cobró nada',
  payment_submitted: 'Comprobante de pago recibido',
  authorised: 'Pago autorizado',
  authorisation_expiring: ({ at }) =>
    at ? `La retención en la tarjeta termina el ${at}` : 'La retención en la tarjeta termina pronto',
  money_received: ({ amount, expected }) =>
    amount && expected
      ? `Llegaron ${amount} de ${expected}`
      : amount
        ? `Llegaron ${amount}`
        : 'Llegó el dinero',
  money_short: ({ received, expected }) =>
    received && expected
      ? `Llegaron ${received} de ${expected}; falta el resto`
      : 'Llegó menos de lo que cuesta la orden',
  money_over: ({ received, expected }) =>
    received && expected
      ? `Llegaron ${received}, más que los ${expected} de la orden`
      : 'Llegó más de lo que cuesta la orden',
  money_late: ({ received }) =>
    received
      ? `Llegaron ${received} cuando la orden ya había terminado`
      : 'Tu pago llegó cuando la orden ya había terminado',
  money_credited: ({ amount }) =>
    amount ? `Llegaron ${amount} más y se abonaron a tu saldo` : 'Llegó más dinero y se abonó a tu saldo',
  surplus_held: ({ amount }) =>
    amount ? `Llegaron ${amount} más que el precio y los guardamos para ti` : 'Llegó más que el precio',
  surplus_credited: ({ amount }) =>
    amount ? `Se abonaron a tu saldo los ${amount} sobrantes` : 'El resto se abonó a tu saldo',
  surplus_returning: ({ amount }) =>
    amount ? `Los ${amount} sobrantes vuelven al remitente` : 'El resto vuelve al remitente',
  surplus_returned: ({ amount }) =>
    amount ? `Se devolvieron los ${amount} sobrantes al remitente` : 'El resto se devolvió al remitente',
  receipt_reversed: ({ amount }) =>
    amount
      ? `Un pago de ${amount} no era para esta orden y se quitó de ella`
      : 'Se quitó un pago de esta orden',
  money_returned: ({ amount }) =>
    amount ? `El banco revirtió el pago de ${amount}` : 'El banco revirtió el pago',
  return_reinstated: ({ amount }) =>
    amount ? `El banco restituyó el pago de ${amount}` : 'El banco restituyó el pago',
  requoted: ({ amountAsset, asset, total }) =>
    amountAsset && total
      ? `Precio nuevo aceptado: ${[amountAsset, asset].filter(Boolean).join(' ')} por ${total}`
      : 'Precio nuevo aceptado',
  capture_requested: 'Aceptada por nuestro equipo',
  captured: 'Pago cobrado',
  receipt_confirmed: 'Pago recibido',
  paid_from_balance: ({ amount }) => (amount ? `${amount} descontados de tu saldo` : 'Pagada con tu saldo'),
  under_review: 'En revisión',
  review_released: 'Liberada por cumplimiento',
  held: 'Retenida por nuestro equipo',
  resumed: 'Reanudada',
  fulfil_requested: 'Entrega iniciada',
  reserved: 'Cripto reservada',
  price_waiting: 'El precio subió; esperamos a que baje',
  exchange_placed: 'Compra iniciada en el mercado',
  exchange_part_filled: 'Comprada en parte; falta el resto',
  filled: 'Comprada en el mercado',
  transfer_requested: 'Envío preparado',
  transfer_awaiting_approval: 'El envío espera aprobación',
  transfer_dead: 'Envío dado por perdido',
  transfer_revived: 'Envío perdido confirmado',
  address_held: 'Ingresaste otra dirección; falta que la confirmes',
  address_unconfirmed: 'La otra dirección no se confirmó a tiempo',
  address_amended: ({ by }) =>
    by === 'customer' ? 'Cambiaste la dirección de destino' : 'Nuestro equipo cambió la dirección de destino',
  sent: 'Enviada a tu billetera',
  confirmed: 'Confirmada en la red',
  bonus_credited: ({ amount }) =>
    amount ? `Bono de ${amount} abonado a tu saldo` : 'Bono abonado a tu saldo',
  bonus_taken_back: ({ amount }) => (amount ? `Bono de ${amount} descontado` : 'Bono descontado'),
  attempt_failed: ({ attempt }) => (attempt ? `El intento ${attempt} falló` : 'Un intento falló'),
  failed: 'Este paso falló',
  attention: 'En espera de nuestro equipo',
  attention_cleared: 'La orden continúa',
  retry_requested: 'Nuevo intento solicitado',
  choice_offered: ({ dueAt }) =>
    dueAt
      ? `Puedes elegir: seguir intentando o un reembolso, hasta el ${dueAt}`
      : 'Puedes elegir: seguir intentando o un reembolso',
  keep_trying: 'Nos pediste seguir intentando',
  coin_offered: ({ amount, before, delivers }) =>
    amount && before && delivers
      ? `Oferta: un reembolso de ${amount} y ${delivers} en lugar de ${before}`
      : 'Se ofreció un reembolso con menos cripto',
  coin_reduced: ({ amount, before, delivers }) =>
    amount && before && delivers
      ? `Aceptado: ${delivers} en lugar de ${before} y un reembolso de ${amount}`
      : 'Se aceptó menos cripto',
  coin_restored: ({ before }) =>
    before
      ? `No se hizo el reembolso; se enviarán ${before}`
      : 'No se hizo el reembolso; se enviará todo el cripto',
  coin_offer_ended: 'La oferta de menos cripto terminó; la orden sigue como está',
  refund_requested: 'Reembolso iniciado',
  refunded_in_part: ({ amount, to: where, delivers, agreed }) =>
    (amount ? `${amount} reembolsados${to(where)}` : `Pago reembolsado en parte${to(where)}`) +
    (delivers ? (agreed ? `; se enviarán ${delivers}` : `; los ${delivers} se enviarán completos`) : ''),
  refunded: ({ amount, to: where }) =>
    amount ? `${amount} reembolsados${to(where)}` : `Pago reembolsado${to(where)}`,
  refunded_at_provider: ({ amount }) =>
    amount
      ? `${amount} reembolsados por el procesador de la tarjeta`
      : 'Pago reembolsado por el procesador de la tarjeta',
  proposed: ({ amount }) =>
    amount ? `${amount}: necesita una segunda aprobación` : 'Necesita una segunda aprobación',
  proposal_decided: ({ amount, outcome }) =>
    [amount, outcome ? `Propuesta decidida (${outcome})` : 'Propuesta decidida'].filter(Boolean).join(': '),
  dispute_opened: ({ amount }) =>
    amount
      ? `El pago de ${amount} se disputó ante el banco de la tarjeta`
      : 'El pago se disputó ante el banco de la tarjeta',
  dispute_answered: 'Respondimos al banco de la tarjeta',
  dispute_won: 'El banco de la tarjeta resolvió la disputa a nuestro favor',
  dispute_lost: 'El banco de la tarjeta resolvió la disputa a favor del titular',
  declined: 'Rechazada; no se cobró nada',
  cancelled: 'Cancelada; no se cobró nada',
  expired: 'Vencida; no se cobró nada',
}
