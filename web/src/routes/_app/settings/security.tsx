import { createFileRoute } from '@tanstack/react-router'
import { SecurityScreen } from '@/features/two-factor/security-screen'

export const Route = createFileRoute('/_app/settings/security')({ component: SecurityScreen })
