import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Maximize2 } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { Failed, LoadingRows } from '@/components/states/states'
import { buttonVariants } from '@/components/ui/button-variants'
import { Dialog, DialogContent } from '@/components/ui/dialog'
import { adminOrder as texts } from '@/messages/admin-order'
import { adminOrderQuery } from '../shared/order-decisions'
import { Walk } from '../shared/queue-walk'
import type { Neighbours } from '../shared/walk'
import { OrderBody } from './order-body'
import { OrderBadges, OrderLead, orderTitle } from './order-head'

interface OrderDrawerProps {
  id: string
  neighbours: Neighbours
  onGo: (id: string) => void
  onClose: () => void
}

const beside =
  'h-[92dvh] md:inset-y-0 md:right-0 md:left-auto md:h-dvh md:max-h-none md:max-w-3xl md:translate-x-0 md:translate-y-0 md:rounded-none md:rounded-l-xl'

/** One order's whole page beside the list: J and K walk through the list, Escape and Back lead to it. */
export function OrderDrawer({ id, neighbours, onGo, onClose }: OrderDrawerProps) {
  const query = useQuery(adminOrderQuery(id))
  const order = query.data
  const { previous, next } = neighbours
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent
        title={order ? orderTitle(order) : texts.facts}
        description={order ? <OrderLead order={order} /> : undefined}
        className={beside}
        onKeyDown={(event) => {
          const wanted = { j: next, k: previous }[event.key]
          if (wanted && isShortcut(event)) onGo(wanted)
        }}
      >
        <div className="mb-4 flex flex-wrap items-center gap-2">
          {order ? <OrderBadges order={order} /> : null}
          <span className="flex-1" />
          <Walk {...neighbours} onGo={onGo} />
          <Link
            to="/admin/orders/$id"
            params={{ id }}
            className={buttonVariants({ variant: 'outline', size: 'sm' })}
          >
            <Maximize2 aria-hidden />
            {texts.openPage}
          </Link>
        </div>
        {order ? (
          <OrderBody key={id} order={order} />
        ) : query.error ? (
          <Failed title={texts.fetchFailed} error={query.error} retry={() => void query.refetch()} />
        ) : (
          <LoadingRows rows={3} />
        )}
      </DialogContent>
    </Dialog>
  )
}

/** A key that is not typed into a field, and not pressed in a dialog above this one. */
function isShortcut(event: KeyboardEvent<HTMLElement>): boolean {
  const { target, currentTarget } = event
  if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof HTMLElement)) return false
  return currentTarget.contains(target) && !target.matches('input, textarea, select')
}
