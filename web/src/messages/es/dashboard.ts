import type * as en from '../dashboard'
import type { Translated } from '../translated'

export const dashboard: Translated<typeof en.dashboard> = {
  title: 'Panel',
  welcome: (name) => `Hola, ${name}`,
  balance: 'Saldo de la cuenta',
  balanceHistory: 'Ver el historial',
  activeTrades: 'Operaciones en curso',
  kycStatus: 'Verificación (KYC)',
  kyc: { verified: 'Verificada', rejected: 'Rechazada', other: 'Pendiente' },
  holds: {
    restricted: {
      title: 'Restringiste tu cuenta',
      text: 'No se puede comprar, vender ni canjear nada nuevo hasta que lo levantes. Lo que está en curso continúa.',
      link: 'Levantarlo en tus ajustes',
    },
    frozen: {
      title: 'Tu cuenta está en espera',
      text: 'Por el momento no se puede comprar, vender, canjear ni pagar nada, y lo que está en curso espera. Tu dinero sigue siendo tuyo.',
      link: 'Contactar a soporte',
    },
  },
  quickActions: 'Acciones rápidas',
  actions: {
    swap: 'Comprar cripto',
    giftCards: 'Tarjetas de regalo',
    voucher: 'Canjear un vale',
    send: 'Enviar dinero',
  },
  purchaseTitle: 'Comprar cripto',
  purchaseLead: 'Es una estimación. El precio exacto se fija en la página siguiente.',
  asset: 'Moneda',
  amountFiat: 'Monto en USD',
  method: 'Método de pago',
  address: 'Dirección de la billetera',
  addressHint: 'A dónde se envía la cripto.',
  fee: 'Comisión (2.5%)',
  total: 'Total',
  received: 'Cripto que recibes',
  rateMissing: 'No hay un precio actual',
  submit: 'Comprar cripto',
  continueToBuy: 'Continuar a la página de compra',
  amountInvalid: 'Ingresa un monto válido',
  addressMissing: 'Ingresa la dirección de tu billetera',
  integrationTitle: 'Falta completar el pago',
  integrationText: 'Continúa en la página de compra: lo que ingresaste ya está ahí.',
  sendTitle: 'Enviar dinero',
  sendText:
    'Planeamos las transferencias internacionales: pagar desde tu saldo a una cuenta bancaria en otro país. Todavía no están abiertas, y no se cobra ni se reserva nada por ellas.',
  recentTitle: 'Transacciones recientes',
  recentEmpty: 'Todavía no hay transacciones',
  recentEmptyHint: 'Aquí aparecerá lo que compres, vendas y canjees.',
  recentFailed: 'No se pudieron cargar las transacciones',
  viewAll: 'Ver todas',
  columns: { type: 'Tipo', from: 'De', to: 'A', amount: 'Monto', status: 'Estado', date: 'Fecha' },
  types: { crypto_swap: 'Compra de cripto', gift_card: 'Tarjeta de regalo', voucher: 'Vale' },
  faq: (kycOver) => [
    {
      q: '¿Tengo que verificar mi identidad?',
      a: kycOver
        ? `La verificación (KYC) es obligatoria para transacciones de más de $${kycOver}.`
        : 'Sí: toda compra requiere una identidad verificada.',
    },
    {
      q: '¿Cuándo se cobra mi tarjeta?',
      a: 'Se autoriza cuando pagas y se cobra cuando aceptamos la orden. Una orden rechazada nunca se cobra.',
    },
    {
      q: '¿Cuánto tarda la entrega?',
      a: 'La mayoría de las órdenes se envían minutos después de aceptarse. La página de la orden muestra cada paso en cuanto ocurre.',
    },
    {
      q: '¿Se puede revertir un envío?',
      a: 'No. Revisa la dirección y su red antes de confirmar.',
    },
  ],
  chatLabel: 'Chat en vivo',
  chatTitle: 'Chat en vivo',
  chatText: 'El chat en vivo no está conectado en esta página. Escribe a soporte.',
}
