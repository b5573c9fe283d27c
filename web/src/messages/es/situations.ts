import type * as en from '../situations'
import type { Translated } from '../translated'

export const waitingTexts: Translated<typeof en.waitingTexts> = {
  payment_page: {
    title: 'La página de pago no está lista',
    happened: 'Nuestro procesador de tarjetas no pudo darnos una página donde pagar.',
    next: 'Nuestro equipo se ocupa, y el botón aparece aquí cuando esté lista. También puedes cancelar; no se cobra nada.',
  },
  payment_check: {
    title: 'Estamos comprobando tu pago con tarjeta',
    happened: 'Tu banco aún no nos ha dicho si el cobro se realizó.',
    next: 'Preguntamos hasta saberlo. No pagues de nuevo: no se te puede cobrar dos veces por esta orden.',
  },
  refund_check: {
    title: 'Tu reembolso necesita otra vía',
    happened: 'El banco de tu tarjeta no aceptó el reembolso.',
    next: 'Nuestro equipo devuelve el dinero por otra vía y te lo dice aquí. No tienes que hacer nada.',
  },
  refund_on_its_way: {
    title: 'Tu reembolso está en camino',
    happened: 'Pedimos que tu dinero vuelva a tu tarjeta y el procesador todavía lo está tramitando.',
    next: 'Lo seguimos y te avisamos aquí cuando esté hecho. No tienes que hacer nada.',
  },
  refund_waits: {
    title: 'Tu reembolso espera una respuesta',
    happened: 'Solo podemos devolver el dinero cuando sea seguro qué pasó con la moneda.',
    next: 'Nuestro equipo lo averigua y después te devuelve el dinero, o te dice que tu moneda se envió.',
  },
  identity: {
    title: 'Tu verificación de identidad necesita otra revisión',
    happened: 'Tu verificación no es válida en este momento, y solo podemos entregar a clientes verificados.',
    next: 'Revisa tu verificación; cuando se apruebe de nuevo, nuestro equipo continúa con esta orden.',
  },
  account_frozen: {
    title: 'Tu cuenta está congelada',
    happened: 'Nuestro equipo congeló tu cuenta por el momento, así que esta orden espera.',
    next: 'Tu precio y tu monto se mantienen, y la orden continúa por sí sola cuando la cuenta se abra de nuevo. Escribe a soporte.',
  },
  price_moved: {
    title: 'El precio se movió',
    happened: 'Comprar tu moneda cuesta ahora más de lo que permite el precio que te prometimos.',
    next: 'Mantenemos tu precio. Compramos en cuanto el mercado vuelva a él.',
  },
  price_unavailable: {
    title: 'Esperamos un precio confiable',
    happened: 'El mercado no da un precio confiable en este momento, así que aún no compramos.',
    next: 'Continuamos cuando los precios vuelvan. Tu precio se mantiene.',
  },
  paused: {
    title: 'Tu orden está en pausa',
    happened: 'Detuvimos por el momento las entregas de este tipo, entre ellas la tuya.',
    next: 'Tu precio y tu monto se mantienen, y tu orden continúa por sí sola cuando reanudemos. No tienes que hacer nada.',
  },
  delivery_delayed: {
    title: 'La entrega se retrasa',
    happened: 'Estamos recargando la billetera desde la que se envía tu moneda.',
    next: 'Nuestro equipo envía tu moneda cuando esté ahí. Tu precio y tu monto se mantienen.',
  },
  purchase_check: {
    title: 'Estamos comprobando la compra de tu moneda',
    happened: 'El mercado aún no ha dicho si tu moneda se compró.',
    next: 'Lo averiguamos antes de intentar algo de nuevo, para que nada se compre ni se cobre dos veces.',
  },
  transfer_check: {
    title: 'Estamos comprobando el envío',
    happened: 'Custodia aún no ha dicho si tu moneda se envió.',
    next: 'Lo averiguamos antes de enviar algo de nuevo, para que nada se pierda ni se envíe dos veces.',
  },
  transfer_approval: {
    title: 'El envío espera aprobación',
    happened: 'Tu moneda está lista. Una segunda persona en custodia revisa este envío antes de que salga.',
    next: 'Se envía en cuanto se apruebe. No tienes que hacer nada.',
  },
  address_refused: {
    title: 'La dirección de destino no fue aceptada',
    happened: 'No pudimos enviar tu cripto a la dirección de esta orden. La cripto está comprada y a salvo.',
    next: 'Escribe abajo otra dirección tuya. Enviamos tu cripto allí.',
  },
  transfer_replaced: {
    title: 'El envío no permaneció en la red',
    happened: 'La red descartó o reemplazó la transacción que llevaba tu moneda.',
    next: 'Nuestro equipo se asegura de que ya no pueda llegar, y después envía de nuevo o te devuelve el dinero.',
  },
  unconfirmed: {
    title: 'La red tarda en confirmar',
    happened: 'Tu moneda se envió, pero la red tarda más de lo normal en confirmarla.',
    next: 'Nuestro equipo la vigila hasta que se confirme. Mientras tanto la transacción sigue siendo válida.',
  },
  money_short: {
    title: 'Falta una parte de tu pago',
    happened: 'Llegó menos dinero de lo que cuesta esta orden.',
    next: 'Envía el resto con la misma referencia, o elige abajo.',
  },
  money_over: {
    title: 'Enviaste más de lo que cuesta esta orden',
    happened: 'Llegó más dinero de lo que cuesta esta orden.',
    next: 'Dinos qué hacer con él.',
  },
  money_late: {
    title: 'Tu pago llegó cuando el precio ya había vencido',
    happened: 'El dinero llegó cuando ya no manteníamos el precio de esta orden.',
    next: 'Elige el precio de hoy o la devolución de tu dinero.',
  },
  disputed: {
    title: 'Este pago está en disputa',
    happened: 'El banco del titular de la tarjeta nos dijo que este pago está en disputa.',
    next: 'La orden espera hasta que el banco decida. Si no fuiste tú, o fue un error, pide ayuda abajo.',
  },
  refunded_elsewhere: {
    title: 'Tu pago fue devuelto o lo estamos revisando',
    happened:
      'El procesador de tarjetas o el banco devolvió tu pago antes de que se entregara esta orden, o estamos revisando si fue así.',
    next: 'Nuestro equipo cierra la orden o acuerda contigo cómo seguir.',
  },
  being_reviewed: {
    title: 'Una persona está revisando esta orden',
    happened: 'Algo de esta orden requiere una decisión de nuestro equipo.',
    next: 'Aquí escribimos qué pasa después. No tienes que hacer nada.',
  },
}

export const situations: Translated<typeof en.situations> = {
  happened: 'Qué pasó',
  money: 'Tu dinero',
  next: 'Qué pasa después',
  since: (time) => `desde el ${time}`,
  identityLink: 'Ver mi verificación',
  balanceLink: 'Ver mi saldo',
  place: {
    nothing: 'No te hemos cobrado nada.',
    awaited: 'Tu transferencia aún no ha llegado; no se ha registrado nada.',
    authorised: (amount, card) => `${amount} están retenidos en ${card} y no se han cobrado.`,
    charged: (amount, card) => `${amount} se cobraron a ${card}. Los guardamos solo para esta orden.`,
    arrived: (amount) => `Llegaron ${amount}. Los guardamos solo para esta orden.`,
    fromBalance: (amount) => `${amount} se tomaron de tu saldo. Los guardamos solo para esta orden.`,
    apart: (amount) => `Llegaron ${amount} y los tenemos aparte para ti, intactos, hasta que elijas.`,
    coin: (amount) => `Tu pago compró ${amount}, que son tuyos y esperan el envío.`,
    sent: (amount) => `Tu pago compró ${amount}, que salieron hacia tu billetera.`,
    released: 'Se liberó la retención en tu tarjeta. Tu banco puede mostrarla unos días más.',
    partBack: (amount, to) => `De ese dinero, ${amount} se devolvieron a ${to}.`,
    backToCard: (amount, card) =>
      `${amount} van de vuelta a ${card}. Los bancos lo muestran en un plazo de 5 a 10 días hábiles.`,
    backToBalance: (amount) => `${amount} están en el saldo de tu cuenta.`,
    toCard: (card) => card,
    yourCard: 'tu tarjeta',
    yourBalance: 'tu saldo',
  },
  ends: {
    declined: {
      title: 'Esta orden fue rechazada',
      happened: 'No pudimos aceptar el pago.',
      next: 'La orden está cerrada. Puedes hacer una nueva o preguntarnos por qué.',
    },
    cancelled: {
      title: 'Esta orden fue cancelada',
      happened: 'La cancelaste antes de pagarla.',
      next: 'La orden está cerrada. Puedes hacer una nueva al precio de hoy.',
    },
    expired: {
      title: 'Esta orden venció',
      happened: 'No se pagó a tiempo.',
      next: 'La orden está cerrada. Si tu dinero llega de todos modos, aquí eliges qué hacer con él.',
    },
    lapsed: {
      title: 'Esta orden venció',
      happened: 'La retención en tu tarjeta terminó antes de que aceptáramos la orden.',
      next: 'La orden está cerrada y no se cobró nada a tu tarjeta. Puedes hacer una nueva al precio de hoy.',
    },
    refunded: {
      title: 'Esta orden fue reembolsada',
      happened: 'La moneda no se entregó y se devolvió tu dinero.',
      next: 'La orden está cerrada. Puedes hacer una nueva al precio de hoy.',
    },
  },
  failed: {
    title: 'Esta orden no se completó',
    happened: 'Algo salió mal al entregar tu orden.',
    next: 'Nuestro equipo ya lo sabe y lo revisa. No se te cobra nada más.',
    choose: 'Abajo decides cómo sigue. No se te cobra nada más.',
    network:
      'Nuestro equipo se asegura de que el envío ya no pueda llegar. Después se envía de nuevo, o vuelve tu dinero.',
  },
  held: {
    title: 'Nuestro equipo puso esta orden en espera',
    happened: 'Algo de esta orden se revisa antes de entregarla.',
    next: 'Continúa, o vuelve tu dinero, en cuanto termine la revisión. Lo escribimos aquí.',
  },
  kept: {
    title: 'Seguimos intentando',
    happened: 'Nos pediste seguir. Lo intentamos de nuevo cada pocos minutos por nuestra cuenta.',
    next: (time) =>
      `Si para el ${time} no ha funcionado, te preguntamos de nuevo. Puedes pedir tu dinero en cualquier momento.`,
  },
  refunding: {
    title: 'Tu reembolso está en camino',
    happened: 'Se pidió el reembolso y se está realizando.',
    next: 'Esta página avisa cuando esté hecho. Los bancos muestran un reembolso en un plazo de 5 a 10 días hábiles.',
  },
  dispute: {
    lost: {
      title: 'La disputa se resolvió a favor del titular de la tarjeta',
      happened: 'El banco devolvió el pago en disputa al titular de la tarjeta.',
      next: 'No pasa nada más por sí solo. Pide ayuda abajo si crees que es un error.',
    },
    won: {
      title: 'La disputa terminó',
      happened: 'El banco decidió que el pago era correcto.',
      next: 'No hay nada más que hacer.',
    },
  },
}

export const amendTexts: Translated<typeof en.amendTexts> = {
  title: 'Escribe otra dirección',
  lead: (coin, network) => `Enviamos ${coin} allí por la ${network}. La dirección tiene que ser tuya.`,
  label: 'Nueva dirección',
  submit: 'Enviar a esta dirección',
  sending: 'Guardando…',
  confirmTitle: '¿Enviar tu cripto a esta dirección?',
  confirmText: (coin, network) =>
    `${coin} por la ${network}. Un envío no se puede deshacer: revisa toda la dirección.`,
  confirm: 'Enviar a esta dirección',
  done: 'Dirección cambiada',
  doneText: 'Tu cripto va a la nueva dirección.',
  failed: 'No se cambió la dirección',
  failedText: 'Inténtalo de nuevo.',
}

export const choiceTexts: Translated<typeof en.choiceTexts> = {
  title: '¿Qué quieres que hagamos?',
  due: (time, left) => `Elige antes del ${time} (tiempo restante: ${left}).`,
  overdue: 'El plazo para elegir terminó.',
  fallback: (amount, to) => `Si no eliges, devolvemos ${amount} a ${to}.`,
  working: 'En ello…',
  failed: 'Eso no funcionó',
  failedText: 'No se pudo realizar lo que elegiste. Inténtalo de nuevo.',
  keep_trying: {
    title: 'Seguir intentando',
    text: 'Lo intentamos ahora y después cada pocos minutos, hasta por un día. Aún puedes pedir tu dinero en cualquier momento.',
    button: 'Seguir intentando',
    done: 'Seguimos intentando',
    doneText: 'Puedes pedir un reembolso en cualquier momento.',
  },
  refund_now: {
    title: 'Reembolsar ahora',
    text: (amount, to) => `${amount} vuelven a ${to} y la orden termina.`,
    button: 'Reembolsar ahora',
    confirmTitle: '¿Reembolsar esta orden?',
    confirmText: (amount, to) =>
      `${amount} vuelven a ${to}. La orden termina y no se entrega ninguna moneda.`,
    confirm: (amount) => `Reembolsar ${amount}`,
    when: {
      card: 'Los bancos muestran un reembolso en un plazo de 5 a 10 días hábiles.',
      balance: 'El dinero está ahí al instante.',
    },
    done: 'Reembolso iniciado',
    doneText: 'Esta página avisa cuando esté hecho.',
  },
  requote: {
    title: 'Aceptar el precio de hoy',
    text: (amount) => `Mira cuánto compran ahora ${amount} antes de decidir.`,
    button: 'Ver el precio de hoy',
    confirmTitle: 'El precio de hoy por tu dinero',
    confirmText: (reference) => `La orden ${reference} continúa con el monto nuevo cuando lo aceptes.`,
    ordered: 'Como la pediste',
    now: 'Ahora',
    amount: 'Recibes',
    unitPrice: (asset) => `Precio de 1 ${asset}`,
    total: 'Cuesta',
    credit: 'Sobra, a tu saldo',
    fees: 'Comisiones',
    confirm: (amount) => `Aceptar ${amount}`,
    moved: 'El precio cambió mientras mirabas. Este es el nuevo.',
    ranOut: 'Este precio venció.',
    loading: 'Calculando el precio…',
    failedTitle: 'No hay un precio en este momento',
    done: 'Precio nuevo aceptado',
    doneText: 'Tu orden continúa.',
  },
  keep_order: {
    title: 'Dejar la orden como está',
    text: (coin, rest) => `Recibes exactamente ${coin}, y ${rest} van al saldo de tu cuenta.`,
    button: 'Dejarla como la pedí',
    confirmTitle: '¿Dejar la orden como está?',
    confirmText: (coin, rest) =>
      `Recibes ${coin} como lo pediste. ${rest} van enseguida al saldo de tu cuenta.`,
    confirm: 'Dejarla como la pedí',
    done: 'La orden queda igual',
    doneText: 'El resto está en tu saldo.',
  },
  back: 'Todavía no',
}

export const moneyTexts: Translated<typeof en.moneyTexts> = {
  title: 'Pagos y reembolsos',
  expected: 'Esperado',
  arrived: 'Recibido',
  missing: 'Falta',
  surplus: 'De más',
  receipt: 'Dinero recibido',
  refund: {
    requested: 'Reembolso en curso',
    pending: 'Reembolso en curso',
    succeeded: 'Reembolsado',
    failed: 'Reembolso no aceptado',
  },
  onDay: (day) => `el ${day}`,
  toCard: (card) => `a ${card}`,
  toBalance: 'al saldo de tu cuenta',
  kept: 'Devuelto en total',
}
