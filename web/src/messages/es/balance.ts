import type * as en from '../balance'
import type { Translated } from '../translated'

export const balance: Translated<typeof en.balance> = {
  title: 'Saldo de la cuenta',
  lead: 'Los reembolsos, las tarjetas de regalo y los abonos van a tu saldo. Úsalo para pagar una orden o retíralo a tu banco.',
  available: 'Disponible',
  reserved: 'Reservado para retiros',
  reservedHint: 'Todavía no se retiró a tu banco.',
  receivable: 'Nos debes',
  receivableHint: 'Lo descontamos de tus próximos abonos.',
  object: '¿Es un error? Contacta a soporte',
  history: 'Historial',
  fetchFailed: 'No se pudo cargar el saldo',
  empty: 'Todavía no hay movimientos',
  emptyHint:
    'Aquí verás los reembolsos, las tarjetas de regalo vendidas, los abonos, los retiros y lo que gastes de tu saldo.',
  buy: 'Comprar cripto',
  payOut: 'Retirar a tu banco',
  order: (reference) => `Orden ${reference}`,
  giftCard: (reference) => `Tarjeta de regalo ${reference}`,
  payout: (reference) => `Retiro ${reference}`,
  columns: { date: 'Fecha', why: 'Motivo', amount: 'Monto', after: 'Saldo después' },
  caption: 'Todos los movimientos de tu saldo, los más recientes primero',
}
