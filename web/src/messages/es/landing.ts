import type * as en from '../landing'
import type { Translated } from '../translated'

export const landing: Translated<typeof en.landing> = {
  bonusBadge: (amount) => `$${amount} en Bitcoin gratis para clientes nuevos`,
  title: 'Compra cripto. Guárdala en tu propia billetera.',
  lead: 'Bitcoin, Ethereum, USDT y USDC con tarjeta, ACH, transferencia o efectivo. Ves el precio exacto antes de pagar y cada paso hasta que llega tu cripto.',
  leadPlain: 'Ves el precio exacto antes de pagar y cada paso hasta que llega tu cripto.',
  getStarted: 'Comenzar',
  learnMore: 'Saber más',
  bonusTerms: (amount) =>
    `El bono son $${amount} de saldo en tu cuenta, para gastar en cualquier criptomoneda. Lo recibes cuando tu identidad está verificada y tu primera orden se envió.`,
  pricesTitle: 'Precios en vivo',
  pricesMore: 'Todos los precios y comisiones',
}
