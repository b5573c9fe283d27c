import { createFileRoute } from '@tanstack/react-router'
import { AdminSwitchesScreen } from '@/features/admin/switches/switches-screen'

export const Route = createFileRoute('/admin/switches')({ component: AdminSwitchesScreen })
