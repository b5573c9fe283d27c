import { useConfig } from '@/lib/session'
import { legal } from '@/messages/legal'
import { Prose } from './prose'

export function Privacy() {
  const { brand } = useConfig()
  return <Prose title={legal.privacyTitle} lead={legal.privacyLead} parts={legal.privacy(brand)} />
}
