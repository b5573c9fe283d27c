import type * as en from '../pricing'
import type { Translated } from '../translated'

/** What the methods of the price list begin with (migration 00001). */
const descriptions: Record<string, string> = {
  'Visa, Mastercard, American Express and Discover': 'Visa, Mastercard, American Express y Discover',
  'ACH bank transfer': 'Transferencia bancaria ACH',
  'Bank wire': 'Transferencia bancaria electrónica',
  'Cash deposit at a partner branch': 'Depósito en efectivo en una sucursal asociada',
}

export const pricing: Translated<typeof en.pricing> = {
  title: 'Precios y comisiones',
  lead: 'Precios en vivo y las comisiones de cada método de pago. Ves el precio exacto de una orden antes de confirmarla.',
  prices: 'Precios en vivo',
  unavailable: 'N/D',
  methods: 'Métodos de pago',
  active: 'Activo',
  disabled: 'Desactivado',
  description: (written) => descriptions[written] ?? written,
  platformFee: 'Comisión de la plataforma',
  processingFee: 'Comisión de procesamiento',
  min: 'Mínimo',
  max: 'Máximo',
  noLimit: 'Sin límite',
  note: 'Los precios se actualizan cada 30 segundos. Los descuentos por volumen y los beneficios de tu nivel de verificación (KYC) se aplican cuando inicias sesión.',
  promisesTitle: 'Antes de comprar',
  promises: [
    {
      title: 'Cuánto cuesta',
      text: 'Ves el precio de la cripto y la comisión de pago, línea por línea. Reservamos el precio mientras decides. La comisión de red está incluida.',
    },
    {
      title: 'Cuándo llega',
      text: 'Enviamos la mayoría de las órdenes a los pocos minutos de aceptarlas. Una transferencia bancaria primero debe llegar.',
    },
    {
      title: 'Y si falla',
      text: 'Si no cobramos tu tarjeta, liberamos la retención. Si pagaste y no podemos entregar, tú eliges: seguimos intentándolo o te reembolsamos.',
    },
  ],
  buy: 'Comprar cripto',
  fetchFailed: 'No se pudieron cargar los precios',
  lastUpdated: (time) => `Última actualización: ${time}`,
}
