import { UserRound } from 'lucide-react'
import type { Attention } from '@/api/types.gen'
import { Notice } from '@/components/states/states'
import { shortTime, spaced } from '@/lib/format'
import { adminOrders, attentionTexts, adminOrder as texts } from '@/messages/admin-order'

/** Why an order waits for an admin, and what to do about it. */
export function AttentionNotice({ attention }: { attention: Attention }) {
  const known = attentionTexts[attention.reason]
  return (
    <Notice
      tone="pending"
      icon={UserRound}
      title={`${adminOrders.attention}: ${known?.title ?? spaced(attention.reason)}`}
    >
      {known ? <p>{known.todo}</p> : null}
      <p className="mt-1">{texts.since(shortTime(attention.since))}</p>
    </Notice>
  )
}
