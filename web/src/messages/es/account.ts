import type * as en from '../account'
import type { Translated } from '../translated'

export const account: Translated<typeof en.account> = {
  otherPerson: 'Hay otra cuenta iniciada',
  otherPersonText: 'Se inició en otra pestaña de este navegador. Te llevamos a ella…',
  menu: 'Menú de la cuenta',
  yours: 'Tu cuenta',
  balance: 'Saldo de la cuenta',
  giftCards: 'Mis tarjetas de regalo',
  vouchers: 'Mis vales',
  settings: 'Configuración',
  profile: 'Perfil',
  security: 'Seguridad',
  privacy: 'Tus datos',
  help: 'Ayuda',
  getHelp: 'Obtener ayuda con',
  support: 'Soporte',
  office: 'Administración (en inglés)',
  queues: {
    payments: 'Pagos pendientes',
    orders: 'Órdenes directas',
    payouts: 'Retiros',
    giftCards: 'Tarjetas de regalo',
    vouchers: 'Vales',
    kyc: 'Verificaciones (KYC)',
    rewards: 'Recompensas retenidas',
    tickets: 'Bandeja de soporte',
    factors: 'Factores perdidos',
  },
}
