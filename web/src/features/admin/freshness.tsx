import { RefreshCw } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { useNow } from '@/lib/clock'
import { cn } from '@/lib/cn'
import { ago } from '@/lib/format'
import { serverTime } from '@/lib/server-clock'
import { common } from '@/messages/common'

interface FreshnessProps {
  /** By this browser's clock; 0 for not yet. */
  updatedAt: number
  busy: boolean
  onRefresh: () => void
}

/** "Updated 12 seconds ago", and the Refresh button. */
export function Freshness({ updatedAt, busy, onRefresh }: FreshnessProps) {
  const now = useNow(1000)
  const at = serverTime(updatedAt)
  const text =
    updatedAt === 0 || now - at < 2000
      ? common.updatedNow
      : common.updatedAgo(ago(new Date(at).toISOString(), now))
  return (
    <>
      <span className="text-sm text-muted-foreground tabular-nums">{text}</span>
      <Button variant="outline" size="sm" onClick={onRefresh} disabled={busy}>
        <RefreshCw aria-hidden className={cn(busy && 'animate-spin')} />
        {common.refresh}
      </Button>
    </>
  )
}
