import type * as en from '../pricing'
import type { Translated } from '../translated'

export const pricing: Translated<typeof en.pricing> = {
  title: 'Precios y comisiones',
  lead: 'Precios en vivo y lo que cuesta cada método de pago. Toda orden muestra su precio exacto, línea por línea, antes de que confirmes.',
  prices: 'Precios en vivo',
  unavailable: 'N/D',
  methods: 'Métodos de pago',
  active: 'Activo',
  disabled: 'Desactivado',
  platformFee: 'Comisión de la plataforma',
  processingFee: 'Comisión de procesamiento',
  min: 'Mínimo',
  max: 'Máximo',
  noLimit: 'Sin límite',
  note: 'Los precios se actualizan cada 30 segundos. Los descuentos por volumen y los beneficios de tu nivel de verificación (KYC) se aplican cuando inicias sesión.',
  fetchFailed: 'No se pudieron cargar los precios',
  lastUpdated: (time) => `Última actualización: ${time}`,
}
