import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { AdminOrder } from '@/api/types.gen'
import { StatusBadge } from '@/components/status/badge'
import type { StatusLook } from '@/components/status/status'
import { Button } from '@/components/ui/button'
import { Dialog, DialogActions, DialogContent } from '@/components/ui/dialog'
import { crypto, usd } from '@/lib/format'
import { add } from '@/lib/money'
import { bulk as texts } from '@/messages/admin-order'
import { common, networkNames } from '@/messages/common'
import { AT_ONCE, type Fate, fateOf, forEach } from './bulk'
import { decisions } from './queries'

interface BulkFulfilProps {
  orders: readonly AdminOrder[]
  onClose: () => void
}

/** Fulfills several orders: each is its own decision, and what came of each is said. */
export function BulkFulfil({ orders, onClose }: BulkFulfilProps) {
  // The list goes on living behind the dialog; what was chosen is what was looked at.
  const [chosen] = useState(orders)
  const [fates, setFates] = useState<Record<string, Fate>>({})
  const client = useQueryClient()
  const run = useMutation({
    mutationFn: () =>
      forEach(chosen, AT_ONCE, async ({ id }) => {
        const say = (fate: Fate) => setFates((before) => ({ ...before, [id]: fate }))
        say({ is: 'asking' })
        say(
          await decisions
            .fulfill(id)
            .then(({ state }): Fate => ({ is: state === 'done' ? 'done' : 'working' }), fateOf),
        )
      }),
    onSettled: () => {
      for (const key of [['admin-orders'], ['admin-order']]) void client.invalidateQueries({ queryKey: key })
    },
  })
  const total = chosen.reduce((sum, order) => add(sum, order.quoteFiat), '0')
  return (
    <Dialog open onOpenChange={(open) => (open || run.isPending ? undefined : onClose())}>
      <DialogContent title={texts.title(chosen.length)} description={texts.text(usd(total))}>
        <ul className="divide-y text-sm md:text-dense">
          {chosen.map((order) => (
            <Chosen key={order.id} order={order} fate={fates[order.id]} />
          ))}
        </ul>
        <DialogActions>
          <Button variant="outline" onClick={onClose} disabled={run.isPending}>
            {run.isIdle ? common.cancel : common.close}
          </Button>
          {run.isSuccess ? null : (
            <Button onClick={() => run.mutate()} disabled={run.isPending}>
              {texts.go(chosen.length)}
            </Button>
          )}
        </DialogActions>
      </DialogContent>
    </Dialog>
  )
}

const looks: Record<Fate['is'], StatusLook> = {
  asking: { label: texts.fates.asking, tone: 'progress' },
  done: { label: texts.fates.done, tone: 'success' },
  working: { label: texts.fates.working, tone: 'info' },
  refused: { label: texts.fates.refused, tone: 'danger' },
  unanswered: { label: texts.fates.unanswered, tone: 'pending' },
}

function Chosen({ order, fate }: { order: AdminOrder; fate: Fate | undefined }) {
  return (
    <li className="space-y-1 py-3 first:pt-0 wrap-anywhere">
      <p className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <span className="font-medium tabular-nums">
          {crypto(order.amountAsset)} {order.asset} · {usd(order.quoteFiat)}
        </span>
        <span role="status">{fate ? <StatusBadge look={looks[fate.is]} /> : null}</span>
      </p>
      <p className="text-muted-foreground">
        <span className="font-mono">{order.reference}</span> · {order.customerEmail}
      </p>
      <p>
        <code className="font-mono text-dense">{order.destAddress}</code>{' '}
        {networkNames[order.network] ?? order.network}
      </p>
      {fate?.is === 'refused' && fate.why ? <p className="text-danger-text">{fate.why}</p> : null}
      {fate?.is === 'unanswered' ? <p>{texts.unansweredText}</p> : null}
    </li>
  )
}
