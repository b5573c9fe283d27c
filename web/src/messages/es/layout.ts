import type * as en from '../layout'
import type { Translated } from '../translated'

export const layout: Translated<typeof en.layout> = {
  home: 'Inicio',
  features: 'Ventajas',
  howItWorks: 'Cómo funciona',
  support: 'Soporte',
  signIn: 'Iniciar sesión',
  getStarted: 'Comenzar',
  buy: 'Comprar cripto',
  orders: 'Mis órdenes',
  wallet: 'Billetera',
  transactions: 'Transacciones',
  verification: 'Verificación',
  admin: 'Administración',
  dashboard: 'Panel',
  logout: 'Cerrar sesión',
  menu: 'Menú',
  mainNavigation: 'Principal',
  theme: 'Tema de color',
  themeLight: 'Claro',
  themeDark: 'Oscuro',
  themeSystem: 'Del sistema',
  language: 'Idioma',
  referral: 'Programa de referidos',
  simulation: 'Instalación local: pagos, precios y cripto son simulados.',
}
