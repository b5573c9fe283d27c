import { createFileRoute } from '@tanstack/react-router'
import { requireUser } from '@/lib/guards'

export const Route = createFileRoute('/_app')({
  beforeLoad: ({ context }) => requireUser(context),
})
