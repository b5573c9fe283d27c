import { createFileRoute } from '@tanstack/react-router'
import { LegacyScreen } from '@/features/admin/legacy/legacy-screen'

export const Route = createFileRoute('/admin/legacy')({ component: LegacyScreen })
