import { createFileRoute } from '@tanstack/react-router'
import { RightsScreen } from '@/features/settings/rights-screen'

export const Route = createFileRoute('/_app/settings/privacy')({ component: RightsScreen })
