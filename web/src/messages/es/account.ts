import type * as en from '../account'
import type { Translated } from '../translated'

export const account: Translated<typeof en.account> = {
  otherPerson: 'Iniciaste sesión con otra cuenta',
  otherPersonText: 'Fue en otra pestaña de este navegador. Te llevamos a esa cuenta…',
  confirmAddress: 'Confirma tu correo electrónico',
  confirmAddressText: (email) =>
    `Enviamos un enlace a ${email}. Ábrelo antes de verificar tu identidad, comprar, vender tarjetas de regalo o canjear vales.`,
  addressConfirmed: 'Ya lo confirmé',
  sendAgain: 'Enviar el enlace otra vez',
  menu: 'Menú de la cuenta',
  yours: 'Tu cuenta',
  balance: 'Saldo de la cuenta',
  giftCards: 'Mis tarjetas de regalo',
  vouchers: 'Mis vales',
  settings: 'Configuración',
  settingsAndHelp: 'Configuración y ayuda',
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
    factors: 'Restablecimientos de 2FA',
  },
}
