import { createFileRoute } from '@tanstack/react-router'
import { LegacyScreen } from '@/features/admin/legacy-screen'

export const Route = createFileRoute('/admin/legacy')({ component: LegacyScreen })
