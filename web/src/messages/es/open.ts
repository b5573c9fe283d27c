import type * as en from '../open'
import type { Translated } from '../translated'

export const open: Translated<typeof en.open> = {
  title: (what: string) => `Inicia sesión para ${what}`,
  lead: 'Se abre en cuanto inicies sesión.',
  signUp: 'Crear una cuenta',
  waiting: {
    order: 'ver tu orden',
    orders: 'ver tus órdenes',
    buy: 'comprar cripto',
    wallet: 'ver tu billetera',
    balance: 'ver el saldo de tu cuenta',
    transactions: 'ver tus transacciones',
    kyc: 'verificar tu identidad',
    payout: 'ver tu retiro',
    giftCard: 'ver tu tarjeta de regalo',
    giftCards: 'ver tus tarjetas de regalo',
    voucher: 'ver tu vale',
    vouchers: 'ver tus vales',
    ticket: 'leer tu ticket de soporte',
    support: 'contactar a soporte',
    data: 'ver tus datos',
    settings: 'cambiar tu configuración',
    dashboard: 'ver tu panel',
    page: 'abrir esta página',
  },
}
