import { createFileRoute } from '@tanstack/react-router'
import { TwoFactorScreen } from '@/features/two-factor/two-factor-screen'

export const Route = createFileRoute('/_app/settings/2fa')({ component: TwoFactorScreen })
