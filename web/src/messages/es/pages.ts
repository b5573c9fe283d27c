import type * as en from '../pages'
import type { Translated } from '../translated'

export const titles: Translated<typeof en.titles> = {
  landing: 'Compra Bitcoin y cripto en tu propia billetera',
  dashboard: 'Panel',
  pricingRates: 'Precios y comisiones',
  aboutUs: 'Sobre nosotros',
  termsOfService: 'Términos del servicio',
  privacyPolicy: 'Política de privacidad',
  legalText: 'Información legal',
  referralProgram: 'Programa de referidos',
  open: 'Iniciar sesión',
  test: 'Página de prueba',
  buyCrypto: 'Comprar cripto',
  myOrders: 'Mis órdenes',
  order: 'Orden',
  receipt: 'Recibo',
  wallet: 'Billetera',
  accountBalance: 'Saldo de la cuenta',
  transactions: 'Transacciones',
  newPayout: 'Retirar a tu banco',
  payout: 'Retiro',
  myGiftCards: 'Mis tarjetas de regalo',
  giftCard: 'Tarjeta de regalo',
  myVouchers: 'Mis vales',
  voucher: 'Vale',
  support: 'Soporte',
  supportTicket: 'Ticket de soporte',
  profile: 'Perfil',
  yourData: 'Tus datos',
  settings: 'Configuración',
  notifications: 'Notificaciones',
  payoutAccounts: 'Cuentas de retiro',
  identityVerification: 'Verificación de identidad',
  twoFactorAuthentication: 'Verificación en dos pasos',
  security: 'Seguridad',
}

export const descriptions: Translated<typeof en.descriptions> = {
  '/': 'Compra Bitcoin, Ethereum, USDT y USDC con tarjeta, ACH, transferencia o efectivo. Ves el precio exacto antes de pagar. Enviamos a tu propia billetera.',
  '/pricing': 'Precios de cripto en vivo y las comisiones de cada método de pago.',
  '/about': 'Qué hacemos, cómo cuidamos las órdenes y cómo comunicarte con nosotros.',
  '/terms': 'Los términos con los que compras cripto aquí.',
  '/privacy': 'Qué guardamos sobre ti, por qué, durante cuánto tiempo, y tus derechos.',
  '/legal/{document}': 'Lo que debes saber antes de comprar cripto aquí.',
  '/referral': 'Invita a tus amigos y sigue tus recompensas.',
  '/open': 'Inicia sesión para abrir una página de tu cuenta.',
  '/test': 'Qué sesión tiene este navegador.',
}

export const narrowed: Translated<typeof en.narrowed> = {
  '/': 'Compra cripto en tu propia billetera: {assets}. Ves el precio exacto antes de pagar.',
}

export const skipToContent: string = 'Saltar al contenido'

export const noScripts: string = 'Este sitio necesita JavaScript para crear y seguir órdenes.'
