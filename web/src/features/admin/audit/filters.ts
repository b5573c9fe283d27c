import { text } from '@/lib/search'
import { day } from '../shared/book'

export interface AuditFilter {
  actor?: string | undefined
  action?: string | undefined
  kind?: string | undefined
  object?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

export function parseAuditFilter(search: Record<string, unknown>): AuditFilter {
  return {
    actor: text(search.actor)?.slice(0, 254),
    action: text(search.action)?.slice(0, 60),
    kind: text(search.kind)?.slice(0, 60),
    object: text(search.object)?.slice(0, 100),
    from: day(search.from),
    to: day(search.to),
  }
}
