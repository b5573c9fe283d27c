import { useQuery } from '@tanstack/react-query'
import type { KycLevel, KycStatus } from '@/api/types.gen'
import { Failed } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { usd } from '@/lib/format'
import { kyc } from '@/messages/kyc'
import { kycLevelsQuery } from './queries'

interface LevelsCardProps {
  inForce: KycStatus['level'] | undefined
  pending: boolean
  onApply: () => void
}

/** The levels with what they allow, and the way up. */
export function LevelsCard({ inForce, pending, onApply }: LevelsCardProps) {
  const { data, error, refetch } = useQuery(kycLevelsQuery)
  return (
    <Card>
      <CardTitle className="mb-4 text-base">{kyc.levelsTitle}</CardTitle>
      {error ? (
        <Failed title={kyc.levelsFailed} error={error} retry={() => void refetch()} />
      ) : data ? (
        <ul className="space-y-4">
          {data.map((level) => (
            <li key={level.level} aria-current={level.level === inForce ? 'true' : undefined}>
              <p className="text-sm font-medium">
                {kyc.levels[level.level]}
                {level.level === inForce ? (
                  <span className="ml-2 rounded-full bg-success-tint px-2 py-0.5 text-xs text-success-text">
                    {kyc.levelInForce}
                  </span>
                ) : null}
              </p>
              <p className="text-sm text-muted-foreground tabular-nums">{limitsOf(level)}</p>
              {level.available ? (
                <>
                  <Button variant="outline" className="mt-3" disabled={pending} onClick={onApply}>
                    {kyc.apply}
                  </Button>
                  <p className="mt-2 text-xs text-muted-foreground">{kyc.applyHint}</p>
                </>
              ) : null}
            </li>
          ))}
        </ul>
      ) : (
        <Skeleton className="h-24" />
      )}
    </Card>
  )
}

function limitsOf(level: KycLevel): string {
  const text = (limit: string | null) => (limit === null ? kyc.levelFree : usd(limit))
  return kyc.levelLimits(text(level.single), text(level.day), text(level.month))
}
