import { Link } from '@tanstack/react-router'
import { useConfig } from '@/lib/session'
import { legal } from '@/messages/legal'
import { Prose } from './prose'

export function Privacy() {
  const { brand } = useConfig()
  return (
    <Prose title={legal.privacyTitle} lead={legal.privacyLead} parts={legal.privacy(brand)}>
      <p className="mt-6 text-base">
        <Link to="/settings/privacy" className="font-medium text-primary underline underline-offset-4">
          {legal.privacyLink}
        </Link>
      </p>
    </Prose>
  )
}
