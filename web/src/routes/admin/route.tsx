import { createFileRoute } from '@tanstack/react-router'
import { AdminShell } from '@/features/admin/shell'
import { requireAdmin } from '@/lib/guards'

export const Route = createFileRoute('/admin')({
  beforeLoad: ({ context }) => requireAdmin(context),
  component: AdminShell,
})
