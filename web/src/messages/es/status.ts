import type * as en from '../status'
import type { Translated } from '../translated'

export const statusLabels: Translated<typeof en.statusLabels> = {
  order: {
    pending: 'Pago pendiente',
    payment_approved: 'Pago aprobado',
    fulfilling: 'En proceso',
    filled: 'Comprada',
    sent: 'Enviada',
    failed: 'Fallida',
  },
  legacy: {
    pending: 'Pendiente',
    payment_processing: 'Procesando el pago',
    completed: 'Completada',
    failed: 'Fallida',
    cancelled: 'Cancelada',
  },
  payment: { pending: 'Pendiente', approved: 'Aprobado', declined: 'Rechazado' },
  kyc: {
    not_started: 'Sin verificar',
    pending: 'En revisión',
    approved: 'Verificada',
    rejected: 'Rechazada',
  },
  customerKyc: {
    not_started: 'Sin iniciar',
    pending: 'Pendiente',
    verified: 'Verificada',
    enhanced: 'Avanzada',
    rejected: 'Rechazada',
  },
  authorised: 'Autorizada',
  action: 'Acción necesaria',
  ended: { declined: 'Rechazada', expired: 'Vencida', refunded: 'Reembolsada', disputed: 'En disputa' },
  identity: { verified: 'Verificada', rejected: 'Rechazada', other: 'Pendiente' },
}
