import { createFileRoute, Outlet } from '@tanstack/react-router'
import { SettingsFrame } from '@/features/settings/frame'

export const Route = createFileRoute('/_app/settings')({ component: Settings })

function Settings() {
  return (
    <SettingsFrame>
      <Outlet />
    </SettingsFrame>
  )
}
