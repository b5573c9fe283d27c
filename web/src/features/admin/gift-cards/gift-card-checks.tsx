import { Link } from '@tanstack/react-router'
import type { AdminGiftCardDetail, AlikeGiftCard } from '@/api/types.gen'
import { Usd } from '@/components/money/money'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { Card, CardTitle } from '@/components/ui/card'
import { textLink } from '@/components/ui/text-link'
import { adminGiftCards as texts } from '@/messages/admin-gift-cards'
import { Person } from '../shared/person'
import { adminGiftCardLooks } from './gift-card-looks'

/** Every other submission of the same card: whose, and how it was decided. */
export function AlikeCards({ card }: { card: AdminGiftCardDetail }) {
  if (card.alike.length === 0) return null
  return (
    <Card>
      <CardTitle className="mb-3">{texts.alike}</CardTitle>
      {card.alike.some((other) => other.holds) ? (
        <p className="mb-3 text-sm font-medium text-danger-text">{texts.holds}</p>
      ) : null}
      <ul className="divide-y text-sm md:text-dense">
        {card.alike.map((other) => (
          <li key={other.id} className="space-y-1 py-3 first:pt-0 last:pb-0">
            <AlikeRow other={other} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function AlikeRow({ other }: { other: AlikeGiftCard }) {
  const outcome = [other.decider, other.rejectReason].filter(Boolean).join(' · ')
  return (
    <>
      <p className="flex flex-wrap items-center justify-between gap-2">
        <Link
          to="/admin/gift-cards/$id"
          params={{ id: other.id }}
          className={`${textLink} font-mono font-medium`}
        >
          {other.reference}
        </Link>
        <StatusBadge look={adminGiftCardLooks[other.status]} />
      </p>
      <p className="wrap-anywhere">
        <Link
          to="/admin/customers/$id"
          params={{ id: other.customerId }}
          className="underline-offset-4 hover:underline"
        >
          <Person name={other.customerName} />
        </Link>{' '}
        · {other.sameCustomer ? texts.sameCustomer : texts.anotherCustomer}
      </p>
      <p className="text-muted-foreground wrap-anywhere">
        <Usd amount={other.paid ?? other.value} /> · {texts.sent} <Time at={other.createdAt} />
        {other.decidedAt ? (
          <>
            {' '}
            · {texts.decided} <Time at={other.decidedAt} />
          </>
        ) : null}
        {outcome ? ` · ${outcome}` : ''}
      </p>
    </>
  )
}
