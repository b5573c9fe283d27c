import { useConfig } from '@/lib/session'
import { legal } from '@/messages/legal'
import { Prose } from './prose'

export function Terms() {
  const { brand } = useConfig()
  return <Prose title={legal.termsTitle} lead={legal.termsLead} parts={legal.terms(brand)} />
}
