import { listRecoveries } from '@/api/admin.gen'
import { pagedQuery } from '../shared/polled'

export const recoveriesKey = ['admin-recoveries']

/** Requests to reset two-factor authentication. */
export const recoveriesQuery = pagedQuery(recoveriesKey, {}, (_, signal) => listRecoveries({ signal }))
