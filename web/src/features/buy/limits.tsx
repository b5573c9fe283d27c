import { useQuery } from '@tanstack/react-query'
import type { Allowance } from '@/api/types.gen'
import { Failed } from '@/components/states/states'
import { Skeleton } from '@/components/ui/skeleton'
import { usd } from '@/lib/format'
import { portion } from '@/lib/money'
import { common } from '@/messages/common'
import { kyc } from '@/messages/kyc'
import { limitsQuery } from './queries'

/** The rest of a customer's limits: nothing, once their identity is refused permanently. */
export function LimitsList({ refused = false }: { refused?: boolean }) {
  const { data, error, refetch } = useQuery(limitsQuery)
  if (refused) return <p className="text-sm text-muted-foreground">{kyc.limitsFinal}</p>
  if (error) return <Failed title={common.error} error={error} retry={() => void refetch()} />
  if (!data) return <Skeleton className="h-24" />
  if (data.kycLevel === 'none') return <p className="text-sm text-muted-foreground">{kyc.limitsNone}</p>
  return (
    <ul className="space-y-3 text-sm">
      <LimitRow name={kyc.limits.single} allowance={data.single} />
      <LimitRow name={kyc.limits.day} allowance={data.day} />
      <LimitRow name={kyc.limits.month} allowance={data.month} />
    </ul>
  )
}

function LimitRow({ name, allowance }: { name: string; allowance: Allowance }) {
  const { limit, remaining } = allowance
  const bounded = typeof limit === 'string' && typeof remaining === 'string'
  return (
    <li>
      <p className="text-muted-foreground">{name}</p>
      <p className="tabular-nums">{bounded ? kyc.limitLeft(usd(remaining), usd(limit)) : kyc.unlimited}</p>
      {bounded ? (
        <div aria-hidden className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-secondary">
          <div
            className="h-full rounded-full bg-primary"
            style={{ width: `${portion(remaining, limit) * 100}%` }}
          />
        </div>
      ) : null}
    </li>
  )
}
