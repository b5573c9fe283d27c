import { createFileRoute } from '@tanstack/react-router'
import { AdminSecurityScreen } from '@/features/admin/security/security-screen'

export const Route = createFileRoute('/admin/security')({ component: AdminSecurityScreen })
