import type * as en from '../referral'
import type { Translated } from '../translated'

export const referral: Translated<typeof en.referral> = {
  title: 'Programa de referidos',
  signInRequired: 'Debes iniciar sesión',
  signInHint: 'Inicia sesión para ver tu enlace, tus referidos y tus recompensas.',
  lead: (reward) =>
    reward
      ? `Invita a tus amigos y recibe ${reward} en tu saldo por cada uno que complete su primera orden.`
      : 'Invita a tus amigos. Ahora no pagamos ninguna recompensa.',
  visitor:
    'Invita a tus amigos y gana con cada uno que complete su primera orden. Ves la recompensa actual junto a tu enlace.',
  visitorHow: 'Cuando completan su primera transacción, abonamos la recompensa actual a tu saldo.',
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
    { title: 'Comparte tu enlace', text: 'Envíalo a amigos que todavía no tienen una cuenta.' },
    {
      title: 'Se registran y verifican su identidad',
      text: 'Abren tu enlace, se registran y verifican su identidad.',
    },
    {
      title: 'Tú ganas',
      text: reward
        ? `Cuando completan su primera transacción, abonamos ${reward} a tu saldo. Si esa orden se reembolsa, los descontamos.`
        : 'Cuando completan su primera transacción. Ahora no pagamos ninguna recompensa.',
    },
  ],
  listTitle: 'Tus referidos',
  empty: 'Todavía no hay referidos',
  emptyHint: 'Aquí verás a los amigos que se registren con tu enlace.',
  failed: 'No se pudieron cargar tus referidos',
  columns: { name: 'Amigo', since: 'Desde', status: 'Estado', reward: 'Recompensa' },
  status: {
    registered: 'Registrado',
    active: 'Activo',
    held: 'En revisión',
    rewarded: 'Recompensado',
    refused: 'No cumple los requisitos',
    clawed_back: 'Descontada',
  },
}

export const testPage: Translated<typeof en.testPage> = {
  title: 'Prueba de navegación',
  lead: 'Tu sesión en este navegador y un enlace a cada página.',
  signedIn: 'Sesión iniciada',
  isAdmin: 'Administrador',
  user: 'Usuario',
  yes: 'sí',
  no: 'no',
  pages: 'Páginas',
}
