import { getAuditSummary, listAudit } from '@/api/admin.gen'
import { pagedQuery, polledQuery } from '../shared/polled'
import type { AuditFilter } from './filters'

export const auditQuery = (filter: AuditFilter) =>
  pagedQuery(['admin-audit', 'list'], filter, (query, signal) => listAudit({ query, signal }))

export const auditSummaryQuery = polledQuery(['admin-audit', 'summary'], (signal) =>
  getAuditSummary({ signal }),
)
