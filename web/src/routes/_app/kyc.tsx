import { createFileRoute } from '@tanstack/react-router'
import { KycScreen } from '@/features/kyc/kyc-screen'

export const Route = createFileRoute('/_app/kyc')({ component: KycScreen })
