import { createFileRoute } from '@tanstack/react-router'
import { KycScreen } from '@/features/kyc/kyc-screen'
import { SettingsFrame } from '@/features/settings/frame'

export const Route = createFileRoute('/_app/kyc')({ component: Verification })

function Verification() {
  return (
    <SettingsFrame wide>
      <KycScreen />
    </SettingsFrame>
  )
}
