import type { AuditEntry } from '@/api/types.gen'
import { amountIn } from '@/lib/format'

/** Fields that hold an amount of money or of coin. */
const amounts = /(^|\.)(amount|refunded|booked|told|minOrderAmount|maxOrderAmount|processingFee)$/

/** What has amounts in other units than dollars: such an entry names its own, unless that was not different. */
const ofSeveralUnits = ['treasury_move', 'break', 'voucher']

function unitOf({ changes, objectKind }: Pick<AuditEntry, 'changes' | 'objectKind'>): string | undefined {
  const named = changes.find(({ field }) => field === 'currency' || field === 'asset')
  return named?.after ?? named?.before ?? (ofSeveralUnits.includes(objectKind) ? undefined : 'USD')
}

/** An amount of an entry with its currency; undefined of what is none. */
export function amountOf(
  entry: Pick<AuditEntry, 'changes' | 'objectKind'>,
  field: string,
  value: string,
): string | undefined {
  const unit = unitOf(entry)
  return unit && amounts.test(field) && /^-?\d+(\.\d+)?$/.test(value) ? amountIn(unit, value) : undefined
}
