import { createFileRoute } from '@tanstack/react-router'
import { NotificationsScreen } from '@/features/settings/notifications-screen'

export const Route = createFileRoute('/_app/settings/notifications')({ component: NotificationsScreen })
