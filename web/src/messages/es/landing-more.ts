import type * as en from '../landing-more'
import type { Translated } from '../translated'

export const landingMore: Translated<typeof en.landingMore> = {
  sample: {
    title: 'Sigue tu orden paso a paso',
    text: 'La página de cada orden muestra dónde está tu dinero y qué sigue.',
    picture: 'La página de una orden enviada: su monto, la transacción y cada paso con su hora.',
    steps: [
      {
        title: 'Fijas el precio',
        text: 'Precio base, comisión y total, reservados mientras pagas.',
      },
      {
        title: 'Se autoriza tu tarjeta',
        text: 'En la página de Stripe. Se cobra cuando aceptamos la orden.',
      },
      { title: 'Compramos en el mercado', text: 'Ves cada paso en cuanto ocurre.' },
      {
        title: 'Se envía a tu billetera',
        text: 'Recibes el ID de la transacción para comprobarla en la red.',
      },
    ],
  },
  feesListed: 'Ves cada comisión antes de confirmar.',
  howTitle: 'Cómo funciona',
  how: [
    {
      title: 'Crea una cuenta gratis',
      text: 'Un correo electrónico y una contraseña. Verifica tu identidad una vez.',
    },
    {
      title: 'Elige un método de pago',
      text: 'Tarjeta, ACH, transferencia o efectivo. Ves cada comisión antes de confirmar.',
    },
    {
      title: 'Recibe la cripto en tu billetera',
      text: 'La enviamos a la dirección de tu billetera y te mostramos la transacción.',
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
      text: `Comisión del ${card}%. Cobramos tu tarjeta cuando aceptamos la orden.`,
    },
    { title: 'ACH', text: `Comisión del ${ach}%. Directo desde tu cuenta bancaria.` },
    {
      title: 'Transferencia',
      text: 'Para montos mayores, con una referencia de tu orden.',
    },
    { title: 'Efectivo', text: 'Consulta en Precios y comisiones si está disponible.' },
  ],
  pillarsTitle: 'Lo que puedes esperar',
  pillars: [
    {
      title: 'Sencillez',
      text: 'Un formulario, un precio, una confirmación. Sin comisiones ocultas después de pagar.',
    },
    {
      title: 'Seguridad',
      text: 'Los datos de tu tarjeta nunca llegan a nuestros servidores. Revisamos cada dirección antes de enviar.',
    },
    {
      title: 'Soporte',
      text: 'Ves el progreso de cada orden en vivo. Si necesitas ayuda, contacta a soporte.',
    },
  ],
  more: 'Con la misma cuenta puedes vender tarjetas de regalo y canjear vales de cripto. Las transferencias internacionales de dinero están previstas.',
  faqTitle: 'Preguntas frecuentes',
  faqMore: '¿Tienes otra pregunta?',
  faqContact: 'Contáctanos',
  faq: ({ kycFreeUnderUsd, kycReviewMinutes, cardFeePercent, achFeePercent, signupBonusUsd }) => [
    {
      q: '¿Qué criptomonedas puedo comprar?',
      a: 'Bitcoin (BTC), Ethereum (ETH), Tether (USDT) y USD Coin (USDC).',
    },
    {
      q: '¿Tengo que verificar mi identidad?',
      a: kycFreeUnderUsd
        ? `Las compras de menos de $${kycFreeUnderUsd} no requieren verificar la identidad. Las mayores, sí.`
        : 'Sí. Toda compra requiere una identidad verificada.',
    },
    {
      q: '¿Cuánto tarda la verificación?',
      a: `La revisión suele tardar ${kycReviewMinutes} minutos.`,
      claim: kycReviewMinutes,
    },
    {
      q: '¿Cuánto cuesta?',
      a: `La comisión con tarjeta es del ${cardFeePercent}% y con ACH del ${achFeePercent}%. Ves el precio completo, línea por línea, antes de confirmar.`,
    },
    {
      q: '¿A dónde va mi cripto?',
      a: 'A la dirección de billetera que ingreses. No la guardamos por ti.',
    },
    {
      q: `¿Es real el bono de $${signupBonusUsd}?`,
      a: `Sí. Abonamos $${signupBonusUsd} en el saldo de tu cuenta cuando tu identidad está verificada y tu primera orden se envió. Puedes gastarlo en cualquier criptomoneda.`,
      claim: signupBonusUsd,
    },
  ],
  newsletterText: 'Nuestras novedades en un correo breve. Cancela cuando quieras.',
  newsletterTitle: 'Novedades, como máximo una vez al mes',
  newsletterLabel: 'Correo electrónico',
  newsletterButton: 'Suscribirme',
  newsletterThanks: '¡Gracias!',
  newsletterAdded: 'Te agregamos a nuestro boletín.',
  finalTitle: (amount) => `Recibe un bono de $${amount} con tu primera orden`,
  finalText: 'Lo abonamos en el saldo de tu cuenta cuando tu identidad está verificada y la orden se envió.',
  finalPlain: 'Compra tu primera cripto hoy',
}
