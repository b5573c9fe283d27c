import type * as en from '../situations'
import type { Translated } from '../translated'

export const waitingTexts: Translated<typeof en.waitingTexts> = {
  payment_page: {
    title: 'La página de pago no está lista',
    happened: 'Nuestro procesador de tarjetas no nos dio una página de pago.',
    next: 'Nuestro equipo lo está resolviendo. El botón aparece aquí cuando la página esté lista. También puedes cancelar. No se cobra nada.',
  },
  payment_check: {
    title: 'Estamos comprobando tu pago con tarjeta',
    happened: 'Tu banco todavía no confirmó el cobro.',
    next: 'Seguimos consultando a tu banco. No pagues de nuevo. No se te puede cobrar dos veces por esta orden.',
  },
  refund_check: {
    title: 'Te reembolsaremos por otra vía',
    happened: 'El banco de tu tarjeta no aceptó el reembolso.',
    next: 'Te enviaremos un correo cuando hayamos devuelto el dinero. No tienes que hacer nada.',
  },
  refund_on_its_way: {
    title: 'Tu reembolso está en camino',
    happened: 'Pedimos al procesador de tarjetas el reembolso a tu tarjeta. Todavía lo está procesando.',
    next: 'Esta página muestra cuándo está hecho. No tienes que hacer nada.',
  },
  refund_waits: {
    title: 'Tu reembolso está demorado',
    happened: 'Podemos reembolsarte cuando sepamos si tu cripto se envió.',
    next: 'Nuestro equipo lo revisa. Después te reembolsamos o te decimos que tu cripto se envió.',
  },
  identity: {
    title: 'Verifica de nuevo tu identidad',
    happened: 'Tu verificación no es válida ahora. Solo entregamos a clientes verificados.',
    next: 'Completa la verificación. Cuando se apruebe, esta orden continúa.',
  },
  account_frozen: {
    title: 'Tu cuenta está retenida',
    happened: 'Nuestro equipo retuvo tu cuenta, así que esta orden está en pausa.',
    next: 'Tu precio y tu monto no cambian. La orden continúa cuando termine la retención. Contacta a soporte.',
  },
  price_moved: {
    title: 'El precio subió',
    happened: 'Tu cripto cuesta ahora más que el precio que fijaste.',
    next: 'Tu precio sigue fijo. Compramos cuando el mercado vuelva a él.',
  },
  price_unavailable: {
    title: 'Esperamos un precio confiable',
    happened: 'Ahora no hay un precio de mercado confiable, así que todavía no compramos.',
    next: 'Continuamos cuando vuelvan los precios. Tu precio sigue fijo.',
  },
  paused: {
    title: 'Tu orden está en pausa',
    happened: 'Pausamos las entregas de este tipo.',
    next: 'Tu precio y tu monto no cambian. Tu orden continúa cuando reanudemos. No tienes que hacer nada.',
  },
  delivery_delayed: {
    title: 'La entrega está demorada',
    happened: 'Estamos recargando la billetera desde la que enviamos tu cripto.',
    next: 'Enviamos tu cripto cuando esté hecho. Tu precio y tu monto no cambian.',
  },
  purchase_check: {
    title: 'Estamos comprobando la compra de tu cripto',
    happened: 'El mercado todavía no confirmó si tu cripto se compró.',
    next: 'Lo comprobamos antes de intentarlo de nuevo, para que nada se compre ni se cobre dos veces.',
  },
  transfer_check: {
    title: 'Estamos comprobando el envío',
    happened: 'Nuestro proveedor de custodia todavía no confirmó si tu cripto se envió.',
    next: 'Lo comprobamos antes de enviar de nuevo, para que nada se pierda ni se envíe dos veces.',
  },
  transfer_approval: {
    title: 'El envío necesita aprobación',
    happened: 'Tu cripto está lista. Una segunda persona debe aprobar este envío.',
    next: 'La enviamos en cuanto se apruebe. No tienes que hacer nada.',
  },
  address_refused: {
    title: 'La dirección de destino no fue aceptada',
    happened: 'No pudimos enviar tu cripto a la dirección de esta orden. La cripto está comprada y a salvo.',
    next: 'Ingresa abajo otra dirección tuya. Enviaremos tu cripto ahí. No hay plazo. Si prefieres que te devolvamos el dinero, pídelo abajo en “Obtener ayuda”.',
  },
  transfer_replaced: {
    title: 'La red descartó el envío',
    happened: 'La red descartó o reemplazó la transacción con tu cripto.',
    next: 'Nuestro equipo se asegura de que ya no pueda llegar. Después enviamos de nuevo o te reembolsamos.',
  },
  unconfirmed: {
    title: 'La red tarda en confirmar',
    happened: 'Enviamos tu cripto, pero la red tarda más de lo normal en confirmarla.',
    next: 'La seguimos hasta que se confirme. La transacción sigue siendo válida.',
  },
  money_short: {
    title: 'Falta una parte de tu pago',
    happened: 'Llegó menos dinero de lo que cuesta esta orden.',
    next: 'Envía el resto con la misma referencia, o elige abajo.',
  },
  money_over: {
    title: 'Enviaste más de lo que cuesta esta orden',
    happened: 'Llegó más dinero de lo que cuesta esta orden.',
    next: 'Elige abajo qué pasa con el resto.',
  },
  money_late: {
    title: 'Tu pago llegó demasiado tarde',
    happened: 'Esta orden ya estaba cerrada cuando llegó tu dinero.',
    next: 'Elige el precio de hoy o un reembolso.',
  },
  disputed: {
    title: 'Este pago está en disputa',
    happened: 'El banco del titular de la tarjeta nos dijo que este pago está en disputa.',
    next: 'La orden está en pausa hasta que el banco decida. Si no fuiste tú, o fue un error, pide ayuda abajo.',
  },
  refunded_elsewhere: {
    title: 'Es posible que tu pago se haya devuelto',
    happened:
      'Es posible que tu procesador de tarjetas o tu banco haya devuelto tu pago antes de entregar esta orden. Lo estamos revisando.',
    next: 'Después cerramos la orden o te contactamos para acordar cómo seguir.',
  },
  being_reviewed: {
    title: 'Estamos revisando esta orden',
    happened: 'Esta orden necesita una decisión de nuestro equipo.',
    next: 'Aquí mostramos el resultado. No tienes que hacer nada.',
  },
}

export const situations: Translated<typeof en.situations> = {
  happened: 'Qué pasó',
  money: 'Tu dinero',
  next: 'Qué pasa después',
  since: (time) => `desde el ${time}`,
  identityLink: 'Ver mi verificación',
  balanceLink: 'Ver mi saldo',
  addressHeld:
    'Abre el enlace de nuestro correo para confirmar la nueva dirección. Después enviamos tu cripto ahí.',
  place: {
    nothing: 'No te hemos cobrado nada.',
    awaited: 'Tu pago todavía no ha llegado.',
    authorised: (amount, card) => `${amount} están retenidos en ${card} y no se han cobrado.`,
    charged: (amount, card) => `${amount} se cobraron a ${card}. Los guardamos solo para esta orden.`,
    arrived: (amount) => `Llegaron ${amount}. Los guardamos solo para esta orden.`,
    fromBalance: (amount) => `Descontamos ${amount} de tu saldo. Los guardamos solo para esta orden.`,
    apart: (amount) => `Llegaron ${amount} y están a salvo hasta que elijas.`,
    kept: (amount) => `Llegaron ${amount} y están a salvo.`,
    coin: (amount) => `Tu pago compró ${amount}. Están listos para el envío.`,
    sent: (amount) => `Tu pago compró ${amount}. Los enviamos a tu billetera.`,
    released: 'Liberamos la retención en tu tarjeta. Tu banco puede mostrarla unos días más.',
    partBack: (amount, to) => `De ese dinero, reembolsamos ${amount} a ${to}.`,
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
      next: 'La orden está cerrada. Puedes hacer una nueva o contactar a soporte.',
    },
    cancelled: {
      title: 'Esta orden fue cancelada',
      happened: 'La cancelaste antes de pagarla.',
      next: 'La orden está cerrada. Puedes hacer una nueva al precio de hoy.',
    },
    expired: {
      title: 'Esta orden venció',
      happened: 'No se pagó a tiempo.',
      next: 'La orden está cerrada. Si tu dinero llega de todos modos, aquí eliges qué pasa con él.',
    },
    lapsed: {
      title: 'Esta orden venció',
      happened: 'La retención en tu tarjeta venció antes de que aceptáramos la orden.',
      next: 'La orden está cerrada y no se cobró nada a tu tarjeta. Puedes hacer una nueva al precio de hoy.',
    },
    refunded: {
      title: 'Esta orden fue reembolsada',
      happened: 'No entregamos tu cripto y reembolsamos tu dinero.',
      next: 'La orden está cerrada. Puedes hacer una nueva al precio de hoy.',
    },
  },
  failed: {
    title: 'Esta orden no se completó',
    happened: 'Algo salió mal al entregar tu orden.',
    next: 'Nuestro equipo lo revisa. No te cobraremos de nuevo.',
    choose: 'Elige abajo cómo sigue. No te cobraremos de nuevo.',
    network:
      'Nuestro equipo se asegura de que el envío ya no pueda llegar. Después enviamos de nuevo o te reembolsamos.',
  },
  held: {
    title: 'Nuestro equipo retuvo esta orden',
    happened: 'Estamos revisando esta orden antes de entregarla.',
    next: 'Después continúa, o te reembolsamos. Aquí mostramos el resultado.',
  },
  kept: {
    title: 'Seguimos intentando',
    happened: 'Nos pediste seguir intentando. Lo intentamos de nuevo cada pocos minutos.',
    next: (time) =>
      `Si para el ${time} no ha funcionado, te preguntamos de nuevo. Puedes pedir un reembolso en cualquier momento.`,
  },
  refunding: {
    title: 'Tu reembolso está en camino',
    happened: 'Estamos procesando tu reembolso.',
    next: 'Esta página muestra cuándo está hecho. Los bancos muestran un reembolso en un plazo de 5 a 10 días hábiles.',
  },
  dispute: {
    afterSending:
      'Ya enviamos tu cripto, y eso no cambia. El banco decide sobre el pago. Si no fuiste tú, o fue un error, pide ayuda abajo.',
    lost: {
      title: 'La disputa se resolvió a favor del titular de la tarjeta',
      happened: 'El banco devolvió el pago en disputa al titular de la tarjeta.',
      next: 'La orden está cerrada. Si ya recibiste cripto, descontamos el monto de tu saldo y nos debes el resto. Pide ayuda abajo si es un error.',
    },
    won: {
      title: 'La disputa terminó',
      happened: 'El banco decidió que el pago es válido.',
      next: 'No tienes que hacer nada.',
    },
  },
}

export const amendTexts: Translated<typeof en.amendTexts> = {
  title: 'Ingresa otra dirección',
  lead: (coin, network) => `Enviaremos ${coin} ahí por la ${network}. La dirección tiene que ser tuya.`,
  label: 'Nueva dirección',
  submit: 'Enviar a esta dirección',
  sending: 'Guardando…',
  confirmTitle: '¿Enviar tu cripto a esta dirección?',
  confirmText: (coin, network) =>
    `${coin} por la ${network}. Un envío no se puede deshacer: revisa toda la dirección.`,
  confirm: 'Enviar a esta dirección',
  done: 'Dirección cambiada',
  doneText: 'Enviaremos tu cripto a la nueva dirección.',
  another: 'Usar otra dirección',
  refused: 'No pudimos enviar a esta dirección. Ingresa otra.',
  held: 'Revisa tu correo para confirmar esta dirección',
  heldText: 'El enlace del correo sirve hasta',
  linkGone: 'Este enlace ya no sirve',
  linkGoneText: 'Ingresa la dirección de nuevo para recibir otro.',
  linkUsedText: 'Ya se usó o tu orden ya no lo necesita.',
  failed: 'No pudimos cambiar la dirección',
  failedText: 'Inténtalo de nuevo.',
}

export const choiceTexts: Translated<typeof en.choiceTexts> = {
  title: '¿Qué quieres que hagamos?',
  due: (time, left) => `Elige antes del ${time} (tiempo restante: ${left}).`,
  overdue: 'El plazo para elegir terminó.',
  fallback: (amount, to) => `Si no eliges, reembolsamos ${amount} a ${to}.`,
  working: 'Procesando…',
  failed: 'No pudimos guardar tu elección',
  failedText: 'Inténtalo de nuevo.',
  keep_trying: {
    title: 'Seguir intentando',
    text: 'Lo intentamos ahora y después cada pocos minutos, hasta por un día. Aún puedes pedir un reembolso en cualquier momento.',
    button: 'Seguir intentando',
    done: 'Seguimos intentando',
    doneText: 'Puedes pedir un reembolso en cualquier momento.',
  },
  refund_now: {
    title: 'Reembolsar ahora',
    text: (amount, to) => `Reembolsamos ${amount} a ${to} y cerramos la orden.`,
    button: 'Reembolsar ahora',
    confirmTitle: '¿Reembolsar esta orden?',
    confirmText: (amount, to) => `Reembolsamos ${amount} a ${to}. La orden se cierra y no recibes cripto.`,
    confirm: (amount) => `Reembolsar ${amount}`,
    when: {
      card: 'Los bancos muestran un reembolso en un plazo de 5 a 10 días hábiles.',
      balance: 'El dinero está en tu saldo al instante.',
    },
    done: 'Reembolso iniciado',
    doneText: 'Esta página muestra cuándo está hecho.',
  },
  requote: {
    title: 'Aceptar el precio de hoy',
    text: (amount) => `Mira cuánta cripto compran ahora ${amount} antes de decidir.`,
    button: 'Ver el precio de hoy',
    confirmTitle: 'El precio de hoy por tu dinero',
    confirmText: (reference) => `La orden ${reference} continúa con el monto nuevo cuando lo aceptes.`,
    ordered: 'Como la pediste',
    now: 'Ahora',
    amount: 'Recibes',
    unitPrice: (asset) => `Precio de 1 ${asset}`,
    total: 'Pagas',
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
  back: 'Volver',
}

export const moneyTexts: Translated<typeof en.moneyTexts> = {
  title: 'Pagos y reembolsos',
  expected: 'Esperado',
  arrived: 'Recibido',
  missing: 'Falta',
  surplus: 'Pagado de más',
  receipt: 'Dinero recibido',
  surplusIs: {
    held: 'Pagado de más, guardado para ti',
    crediting: 'Pagado de más, se abona a tu saldo',
    credited: 'Pagado de más, abonado a tu saldo',
    returning: 'Pagado de más, en camino al remitente',
    returned: 'Pagado de más, devuelto al remitente',
    reversed: 'Pagado de más, retirado',
  },
  heldUntil: (when) => `Se abona a tu saldo el ${when} si no eliges antes`,
  creditNow: 'Abonar ahora a mi saldo',
  sendBack: 'Devolver al remitente',
  chosen: 'Guardado',
  chosenNot: 'Tu elección no se guardó',
  refund: {
    requested: 'Reembolso en curso',
    pending: 'Reembolso en curso',
    succeeded: 'Reembolsado',
    failed: 'Reembolso no aceptado',
  },
  onDay: (day) => `el ${day}`,
  toCard: (card) => `a ${card}`,
  toBalance: 'al saldo de tu cuenta',
  kept: 'Reembolsado en total',
}
