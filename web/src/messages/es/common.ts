/*
 * The words of the Spanish catalogue, which is neutral Latin American Spanish and says "tú". One English word is one
 * Spanish word everywhere:
 *
 *   account balance  saldo de la cuenta      order        orden (f.)          sign in       iniciar sesión
 *   amount           monto                   payment      pago                sign out      cerrar sesión
 *   backup code      código de respaldo      payout       retiro              support       soporte
 *   to charge        cobrar                  profile      perfil              ticket        ticket
 *   coin, crypto     moneda, cripto          proof        comprobante         tier          nivel
 *   credit           abono                   quote        precio reservado    two-factor    verificación en
 *   dashboard        panel                   receipt      recibo              authentication   dos pasos
 *   to decline       rechazar                refund       reembolso           voucher       vale
 *   exchange         mercado                 second       segundo factor      wallet        billetera
 *   fee              comisión                  factor                         withdrawal    envío
 *   gift card        tarjeta de regalo       settings     configuración       wire          transferencia
 *   hold (of a card) retención
 */
import type * as en from '../common'
import type { Translated } from '../translated'

export const common: Translated<typeof en.common> = {
  unauthorized: 'Sin autorización',
  loggedOut: 'Tu sesión se cerró. Te llevamos a iniciarla de nuevo…',
  accessDenied: 'Acceso denegado',
  adminRequired: 'Se necesita acceso de administrador. Redirigiendo…',
  error: 'Error',
  copied: '¡Copiado!',
  copyFailed: 'No se pudo copiar al portapapeles',
  copyWhat: (what) => `Copiar ${what}`,
  close: 'Cerrar',
  cancel: 'Cancelar',
  retry: 'Intentar de nuevo',
  loading: 'Cargando…',
  signIn: 'Iniciar sesión',
  notFound: '404 Página no encontrada',
  notFoundHint: 'Revisa la dirección o ve a la página de inicio.',
  notFoundSignedOut: 'Inicia sesión para abrir esta página',
  notFoundHome: 'Ir a la página de inicio',
  somethingFailed: 'Algo salió mal en esta página',
  somethingFailedHint: 'Tus órdenes y tu dinero están a salvo. Inténtalo en unos minutos.',
  serverFailed: 'Algo falló de nuestro lado. Inténtalo en un momento.',
  noAnswer: 'No hubo respuesta. Revisa tu conexión e inténtalo de nuevo.',
  slow: 'Esto está tardando más de lo habitual…',
  partMissing: 'No pudimos cargar esta parte del sitio',
  partMissingHint: 'Recarga la página. Lo que escribiste sigue aquí.',
  reload: 'Recargar la página',
  loadMore: 'Mostrar más',
  openInNewTab: 'se abre en otra pestaña',
}

export const methodLabels: Translated<typeof en.methodLabels> = {
  card: 'Tarjeta',
  domestic_wire: 'Transferencia nacional',
  international_wire: 'Transferencia internacional',
  bank_transfer: 'Transferencia bancaria',
  paypal: 'PayPal',
  zelle: 'Zelle',
  zelle_pay: 'Zelle Pay',
  chime: 'Chime',
  revolut: 'Revolut',
  ach: 'ACH',
  wire: 'Transferencia',
  cash: 'Efectivo',
  balance: 'Saldo de la cuenta',
}

export const assetNames: Translated<typeof en.assetNames> = {
  BTC: 'Bitcoin',
  ETH: 'Ethereum',
  USDT: 'Tether',
  USDC: 'USD Coin',
}

export const networkNames: Translated<typeof en.networkNames> = {
  bitcoin: 'Red Bitcoin',
  ethereum: 'Red Ethereum',
  tron: 'Red Tron',
}
