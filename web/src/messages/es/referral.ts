import type * as en from '../referral'
import type { Translated } from '../translated'

export const referral: Translated<typeof en.referral> = {
  title: 'Programa de referidos',
  signInRequired: 'Debes iniciar sesión',
  signInHint: 'Inicia sesión para ver tu propio enlace, quién llegó con él y cuánto has ganado.',
  lead: (reward) =>
    reward
      ? `Invita a tus amigos y recibe ${reward} en tu saldo por cada uno que complete su primera orden.`
      : 'Invita a tus amigos. En este momento no se paga ninguna recompensa.',
  visitor:
    'Invita a tus amigos y gana con cada uno que complete su primera orden. Lo que se paga en este momento aparece junto a tu enlace.',
  visitorHow: 'Cuando completan su primera transacción, la recompensa vigente se abona a tu saldo.',
  stats: {
    total: 'Referidos en total',
    active: 'Referidos activos',
    pending: 'Recompensas pendientes',
    earned: 'Total ganado',
  },
  linkTitle: 'Tu enlace de referido',
  link: 'Enlace de referido',
  code: 'Tu código',
  copyLink: 'Copiar el enlace',
  copyCode: 'Copiar el código',
  twitter: 'Compartir en Twitter',
  facebook: 'Compartir en Facebook',
  shareText: (brand, bonus) =>
    bonus ? `Únete a ${brand} conmigo y recibe ${bonus} con tu primera orden.` : `Únete a ${brand} conmigo.`,
  howTitle: 'Cómo funciona',
  how: (reward) => [
    { title: 'Comparte tu enlace', text: 'Envíalo a amigos que todavía no están aquí.' },
    {
      title: 'Se registran y verifican su identidad',
      text: 'Siguen tu enlace, crean su cuenta y completan la verificación (KYC).',
    },
    {
      title: 'Tú ganas',
      text: reward
        ? `Cuando completan su primera transacción, se abonan ${reward} a tu saldo. Se retiran si esa orden se reembolsa.`
        : 'Cuando completan su primera transacción. En este momento no se paga ninguna recompensa.',
    },
  ],
  listTitle: 'Tus referidos',
  empty: 'Todavía no hay referidos',
  emptyHint: 'Aquí aparecen los amigos que se registran con tu enlace.',
  failed: 'No se pudieron cargar tus referidos',
  columns: { name: 'Amigo', since: 'Desde', status: 'Estado', reward: 'Recompensa' },
  status: {
    registered: 'Registrado',
    active: 'Activo',
    held: 'En revisión',
    rewarded: 'Recompensado',
    refused: 'No cumple los requisitos',
    clawed_back: 'Retirada',
  },
}

export const testPage: Translated<typeof en.testPage> = {
  title: 'Prueba de navegación',
  lead: 'Qué sesión tiene este navegador, y un enlace a cada página.',
  signedIn: 'Sesión iniciada',
  isAdmin: 'Administrador',
  user: 'Usuario',
  yes: 'sí',
  no: 'no',
  pages: 'Páginas',
}
