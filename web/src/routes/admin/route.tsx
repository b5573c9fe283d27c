import { createFileRoute, redirect } from '@tanstack/react-router'
import { AdminShell } from '@/features/admin/shell/shell'
import { requireAdmin } from '@/lib/guards'
import { leaveEnglish } from '@/lib/language'
import { language } from '@/messages/locale'

export const Route = createFileRoute('/admin')({
  // Staff work in English: the server answers this address in English, whatever the language of the page with
  // the link.
  beforeLoad: ({ context, location }) => {
    requireAdmin(context)
    if (language !== 'en') throw redirect({ href: location.href, reloadDocument: true })
  },
  onLeave: leaveEnglish,
  component: AdminShell,
})
