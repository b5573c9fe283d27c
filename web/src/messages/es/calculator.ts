import type * as en from '../calculator'
import type { Translated } from '../translated'

export const calculator: Translated<typeof en.calculator> = {
  title: 'Lo que compra tu dinero',
  pay: 'Pagas',
  get: 'Recibes',
  currency: 'USD',
  coin: 'Cripto',
  payWith: 'Pagar con',
  fee: (fee) => `comisión ${fee}`,
  note: (fee, asset, rate) =>
    `Incluye ${fee} de comisiones, a ${rate} por ${asset}. El precio exacto se fija antes de pagar.`,
  unreadable: 'Ingresa un monto en dólares, como 60.50.',
  loading: 'Cargando precios…',
  later: 'No hay precios en vivo en este momento. Ves el precio exacto antes de pagar.',
  least: (amount) => `El mínimo con este método es de ${amount} antes de comisiones.`,
  most: (amount) => `El máximo con este método es de ${amount} antes de comisiones.`,
  buy: (asset) => `Comprar ${asset}`,
}
