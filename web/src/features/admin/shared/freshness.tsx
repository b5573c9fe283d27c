import { RefreshCw } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { useNow } from '@/lib/clock'
import { cn } from '@/lib/cn'
import { ago } from '@/lib/format'
import { serverTime } from '@/lib/server-clock'
import { admin } from '@/messages/admin'

/** Reads all of a screen again. */
export function readAnew(...queries: readonly (Pick<Shown, 'refetch'> | undefined)[]): void {
  for (const query of queries) void query?.refetch()
}

interface Shown {
  /** By this browser's clock; 0 for not yet. */
  dataUpdatedAt: number
  isFetching: boolean
  refetch: () => Promise<unknown>
}

interface FreshnessProps {
  of: Shown
  /** What stands beside it and is read anew with it. */
  beside?: Pick<Shown, 'refetch'> | undefined
}

/** "Updated 12 seconds ago", and the Refresh button. */
export function Freshness({
  of: { dataUpdatedAt: updatedAt, isFetching: busy, refetch },
  beside,
}: FreshnessProps) {
  const now = useNow(1000)
  const at = serverTime(updatedAt)
  // What was never read is of no age: until then nothing is said.
  const text =
    updatedAt === 0
      ? ''
      : now - at < 2000
        ? admin.updatedNow
        : admin.updatedAgo(ago(new Date(at).toISOString(), now))
  return (
    <>
      <span className="text-dense text-muted-foreground tabular-nums max-md:sr-only">{text}</span>
      <Button
        variant="outline"
        size="sm"
        title={text}
        onClick={() => readAnew({ refetch }, beside)}
        disabled={busy}
      >
        <RefreshCw aria-hidden className={cn(busy && 'animate-spin')} />
        <span className="max-md:sr-only">{admin.refresh}</span>
      </Button>
    </>
  )
}
