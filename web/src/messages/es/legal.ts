import type * as en from '../legal'
import type { Translated } from '../translated'

export const legal: Translated<typeof en.legal> = {
  onThisPage: 'En esta página',
  aboutTitle: (brand) => `Sobre ${brand}`,
  aboutLead: 'Vendemos cripto por dólares estadounidenses y la enviamos a tu propia billetera.',
  coins: 'Bitcoin, Ethereum, USDT y USDC',
  about: (brand, coins) => [
    {
      heading: 'Qué hacemos',
      body: [
        `${brand} vende ${coins} por dólares estadounidenses y los envía a una billetera que solo tú controlas.`,
        'Antes de confirmar ves el precio completo y la dirección de destino. Después puedes seguir cada paso hasta que enviamos tu cripto.',
      ],
    },
    {
      heading: 'Cómo cuidamos las órdenes',
      body: [
        'Si uno de nuestros servidores se detiene, tu orden continúa donde quedó. Nunca cobramos ni enviamos dos veces.',
        'Los datos de la tarjeta se ingresan en la página de Stripe. Nuestro proveedor de verificación maneja los documentos de identidad. Enviamos la cripto solo cuando el pago está confirmado.',
      ],
    },
  ],
  contactTitle: 'Contacto',
  contactText: 'Contacta a soporte si tienes preguntas sobre una orden, tu cuenta o este sitio.',
}
