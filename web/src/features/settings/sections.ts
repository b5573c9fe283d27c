import { BadgeCheck, Bell, FileLock2, Landmark, ShieldCheck, UserRound } from 'lucide-react'
import { settings } from '@/messages/settings'

/** The sections of the settings, in the order of the menu. `also` are pages that belong to a section. */
export const sections = [
  { to: '/settings/profile', icon: UserRound, ...settings.sections.profile },
  { to: '/settings/security', icon: ShieldCheck, ...settings.sections.security, also: '/settings/2fa' },
  { to: '/kyc', icon: BadgeCheck, ...settings.sections.verification },
  { to: '/settings/payouts', icon: Landmark, ...settings.sections.payouts },
  { to: '/settings/notifications', icon: Bell, ...settings.sections.notifications },
  { to: '/settings/privacy', icon: FileLock2, ...settings.sections.data },
] as const
