import type * as en from '../footer'
import type { Translated } from '../translated'

export const footer: Translated<typeof en.footer> = {
  footerNavigation: 'Pie de página',
  quickLinks: 'Enlaces rápidos',
  pricing: 'Precios y comisiones',
  about: 'Sobre nosotros',
  contact: 'Contacto',
  privacy: 'Política de privacidad',
  terms: 'Términos del servicio',
  supportLinks: 'Soporte',
  helpCenter: 'Preguntas frecuentes',
  emailSupport: 'Soporte por correo',
  acceptedMethods: 'Métodos de pago aceptados',
  methods: ['Visa', 'Mastercard', 'Transferencia bancaria', 'Efectivo', 'Transferencia electrónica'],
  blurb: (brand) =>
    `Con ${brand} compras Bitcoin, Ethereum y monedas estables y las recibes en una billetera que solo tú controlas.`,
  risk: 'Los criptoactivos son volátiles y pueden perder su valor. Un envío no se puede deshacer. Compra solo lo que puedas permitirte perder. Nada en este sitio es asesoría de inversión.',
  rights: (brand, year) => `© ${year} ${brand}`,
}
