import type * as en from '../support'
import type { Translated } from '../translated'

/** The server writes the measured time of an answer in English, as "2 hours". */
const units: Record<string, string> = {
  minute: 'minuto',
  minutes: 'minutos',
  hour: 'hora',
  hours: 'horas',
  day: 'día',
  days: 'días',
}

const inSpanish = (time: string) => time.replace(/[a-z]+/g, (word) => units[word] ?? word)

export const support: Translated<typeof en.support> = {
  title: 'Soporte',
  lead: ({ responseTime }) =>
    responseTime ? `Tiempo promedio de respuesta: ${inSpanish(responseTime)}.` : undefined,
  mine: 'Mis tickets',
  allTickets: 'Todos los tickets',
  ask: 'Contactar a soporte',
  subject: 'Asunto',
  chooseSubject: 'Elige un asunto',
  subjects: {
    general: 'Pregunta general',
    transaction: 'Una transacción',
    account: 'Mi cuenta',
    technical: 'Un problema técnico',
    kyc: 'Verificación de identidad',
    voucher: 'Un vale',
  },
  message: 'Mensaje',
  messageHint: 'Nunca nos envíes una contraseña, un código ni el número de una tarjeta.',
  submit: 'Enviar',
  submitting: 'Enviando…',
  submitted: 'Ticket de soporte enviado',
  failed: 'No se pudo enviar el ticket de soporte',
  fillAll: 'Completa todos los campos',
  fetchFailed: 'No se pudieron cargar tus tickets',
  empty: 'Todavía no hay tickets',
  emptyHint: 'Aquí verás tus mensajes y nuestras respuestas.',
  open: 'Abrir el ticket',
  about: { order: 'Orden', gift_card: 'Tarjeta de regalo' },
  aboutThis: (reference) => `Sobre ${reference}`,
  opening: (reference) => `${reference}: `,
  ticket: 'Ticket',
  conversation: 'Conversación',
  you: 'Tú',
  us: 'Soporte',
  erased: 'Este mensaje se borró con la cuenta de quien lo escribió.',
  reply: 'Tu mensaje',
  send: 'Enviar',
  close: 'Cerrar el ticket',
  closed: 'Ticket cerrado',
  closedText: 'Este ticket está cerrado. Envía un mensaje para abrirlo de nuevo.',
  closesAt: 'Se cierra si no respondes antes del',
  waitingForUs: 'Te respondemos aquí y te avisamos por correo.',
  chat: {
    consent:
      'Tidio ofrece nuestro chat en vivo. Cuando inicias un chat, Tidio ve tu nombre, tu correo electrónico y tus mensajes, y usa sus propias cookies.',
    agree: 'Iniciar el chat',
    refuse: 'Ahora no',
    contact: 'Contactar a soporte',
    failed: 'No pudimos cargar el chat. Contacta a soporte con el formulario.',
  },
  messages: (n) => (n === 1 ? '1 mensaje' : `${n} mensajes`),
}

export const ticketStatus: Translated<typeof en.ticketStatus> = {
  open: 'Abierto',
  in_progress: 'En curso',
  closed: 'Cerrado',
}
