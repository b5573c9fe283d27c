import type * as en from '../landing'
import type { Translated } from '../translated'

export const landing: Translated<typeof en.landing> = {
  bonusBadge: (amount) => `$${amount} en Bitcoin gratis para clientes nuevos`,
  title: 'Compra cripto. Guárdala en tu propia billetera.',
  lead: 'Bitcoin, Ethereum, USDT y USDC con tarjeta, ACH, transferencia o efectivo. El precio se fija antes de pagar, y ves cada paso hasta que llega la moneda.',
  getStarted: 'Comenzar',
  learnMore: 'Saber más',
  bonusTerms: 'El bono se abona cuando tu identidad está verificada y tu primera orden se envió.',
  sample: {
    caption: 'Así se ve una orden (un ejemplo)',
    steps: [
      {
        title: 'Fijas el precio',
        text: 'Precio base, comisión de pago y total, reservados mientras pagas.',
      },
      {
        title: 'Se autoriza tu tarjeta',
        text: 'En la página de Stripe. Se cobra cuando aceptamos la orden.',
      },
      { title: 'Compramos en el mercado', text: 'Ves cada paso en cuanto ocurre.' },
      {
        title: 'Se envía a tu billetera',
        text: 'Con el ID de la transacción, para comprobarlo en la red.',
      },
    ],
  },
  howTitle: 'Cómo funciona',
  how: [
    {
      title: 'Crea una cuenta gratis',
      text: 'Un correo electrónico y una contraseña. Verifica tu identidad una vez.',
    },
    {
      title: 'Elige un método de pago',
      text: 'Tarjeta, ACH, transferencia o efectivo. Ves las comisiones línea por línea antes de confirmar.',
    },
    {
      title: 'Recibe la cripto en tu billetera',
      text: 'La enviamos a la dirección que indiques y te mostramos la transacción en la red.',
    },
  ],
  figuresTitle: 'En cifras',
  figures: {
    countries: 'países',
    tokens: 'tokens',
    processedUsd: 'USD procesados',
    users: 'usuarios',
  },
  methodsTitle: 'Paga como ya lo haces',
  methods: (card, ach) => [
    {
      title: 'Tarjeta',
      text: `Comisión del ${card}%. Se autoriza al instante; se cobra cuando aceptamos la orden.`,
    },
    { title: 'ACH', text: `Comisión del ${ach}%. Directo desde tu cuenta bancaria.` },
    {
      title: 'Transferencia',
      text: 'Para montos mayores, con una referencia que vinculamos a tu orden.',
    },
    { title: 'Efectivo', text: 'Consulta en Precios y comisiones si está disponible ahora.' },
  ],
  pillarsTitle: 'Hecho para confiarle tu dinero',
  pillars: [
    {
      title: 'Sencillez',
      text: 'Un formulario, un precio, una confirmación. No aparece ningún margen oculto después de pagar.',
    },
    {
      title: 'Seguridad',
      text: 'Los datos de tu tarjeta nunca tocan nuestros servidores. Las direcciones se revisan antes de mover una moneda.',
    },
    {
      title: 'Soporte',
      text: 'Cada orden tiene una cronología en vivo, en palabras claras, y una persona detrás.',
    },
  ],
  more: 'Con la misma cuenta vendes tarjetas de regalo y canjeas vales de cripto. Las transferencias internacionales de dinero están previstas.',
  faqTitle: 'Lo primero que se pregunta',
  faqMore: '¿La tuya no está aquí?',
  faqContact: 'Contáctanos',
  faq: ({ kycFreeUnderUsd, kycReviewMinutes, cardFeePercent, achFeePercent, signupBonusUsd }) => [
    {
      q: '¿Qué monedas puedo comprar?',
      a: 'Bitcoin (BTC), Ethereum (ETH), Tether (USDT) y USD Coin (USDC).',
    },
    {
      q: '¿Tengo que verificar mi identidad?',
      a: kycFreeUnderUsd
        ? `Las compras de menos de $${kycFreeUnderUsd} no requieren verificar la identidad; las mayores, sí.`
        : 'Sí. Toda compra requiere una identidad verificada.',
    },
    {
      q: '¿Cuánto tarda la verificación?',
      a: `La revisión suele tardar ${kycReviewMinutes} minutos.`,
    },
    {
      q: '¿Cuánto cuesta?',
      a: `La comisión con tarjeta es del ${cardFeePercent}% y con ACH del ${achFeePercent}%. Ves el precio completo, línea por línea, antes de confirmar.`,
    },
    {
      q: '¿A dónde va mi cripto?',
      a: 'A la dirección de billetera que nos indiques. No la guardamos por ti.',
    },
    {
      q: `¿Es real el bono de $${signupBonusUsd}?`,
      a: 'Sí. Se abona cuando tu identidad está verificada y tu primera orden se envió.',
    },
  ],
  pricesTitle: 'Precios en vivo',
  pricesMore: 'Todos los precios y comisiones',
  newsletterText: 'Lo nuevo, en una carta breve. Déjala cuando quieras.',
  newsletterTitle: 'Novedades, como máximo una vez al mes',
  newsletterLabel: 'Correo electrónico',
  newsletterButton: 'Suscribirme',
  newsletterThanks: '¡Gracias!',
  newsletterAdded: 'Te agregamos a nuestro boletín.',
  finalTitle: (amount) => `Comienza con $${amount} en Bitcoin`,
  finalText: 'Se abonan cuando tu identidad está verificada y tu primera orden se envió.',
}
