import { useQueryClient } from '@tanstack/react-query'
import { CloudOff, Hourglass, type LucideIcon, RotateCw } from 'lucide-react'
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { connection, onConnection } from '@/lib/connection'
import { isNewer, onNewer } from '@/lib/releases'
import { connection as texts } from '@/messages/connection'

/** The delay after which a pending write is reported as slow. */
const SLOW_MS = 10_000

/** The state of the connection to the server: gone, slow, or of a newer release than the page. */
export function ConnectionBanner() {
  const { lost, heardAt } = useSyncExternalStore(onConnection, connection)
  const newer = useSyncExternalStore(onNewer, isNewer)
  const slow = useSlow(useSending())
  return (
    <div role="status" data-connection className="print:hidden">
      {lost ? (
        <Line icon={CloudOff} look="bg-pending-tint text-pending-text">
          {texts.lost} {texts.since(time.format(heardAt))}
        </Line>
      ) : null}
      {!lost && slow ? (
        <Line icon={Hourglass} look="bg-info-tint text-info-text">
          {texts.slow}
        </Line>
      ) : null}
      {!lost && newer ? (
        <Line icon={RotateCw} look="bg-info-tint text-info-text">
          {texts.newer}{' '}
          <button
            type="button"
            className="min-h-6 font-semibold underline underline-offset-4"
            onClick={() => window.location.reload()}
          >
            {texts.reload}
          </button>
        </Line>
      ) : null}
    </div>
  )
}

const time = new Intl.DateTimeFormat(document.documentElement.lang, {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** Is something being sent? */
function useSending(): boolean {
  const client = useQueryClient()
  return useSyncExternalStore(
    (listener) => client.getMutationCache().subscribe(listener),
    () => client.isMutating() > 0,
  )
}

function useSlow(busy: boolean): boolean {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    if (!busy) return setSlow(false)
    const timer = setTimeout(() => setSlow(true), SLOW_MS)
    return () => clearTimeout(timer)
  }, [busy])
  return slow
}

function Line({ icon: Icon, look, children }: { icon: LucideIcon; look: string; children: ReactNode }) {
  return (
    <p className={`flex items-center justify-center gap-2 px-4 py-1.5 text-sm ${look}`}>
      <Icon aria-hidden className="size-4 shrink-0" />
      <span>{children}</span>
    </p>
  )
}
