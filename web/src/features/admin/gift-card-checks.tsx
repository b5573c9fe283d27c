import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import type { AdminGiftCardDetail, AlikeGiftCard, GiftCardCheck } from '@/api/types.gen'
import { Usd } from '@/components/money/money'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { Card, CardTitle } from '@/components/ui/card'
import { cn } from '@/lib/cn'
import { adminGiftCards as texts } from '@/messages/admin-gift-cards'
import { adminGiftCardLooks } from './gift-card-looks'

const results = {
  fail: { icon: CircleX, className: 'text-danger-text' },
  warn: { icon: TriangleAlert, className: 'text-pending-text' },
  pass: { icon: CircleCheck, className: 'text-success-text' },
} as const

const order = Object.keys(results)

/** What the house can tell by itself, the worst first. */
export function CardChecks({ checks }: { checks: readonly GiftCardCheck[] }) {
  const sorted = checks.toSorted((a, b) => order.indexOf(a.result) - order.indexOf(b.result))
  return (
    <Card>
      <CardTitle className="mb-3">{texts.checks}</CardTitle>
      <ul className="space-y-2 text-sm md:text-dense">
        {sorted.map((check) => {
          const { icon: Icon, className } = results[check.result]
          return (
            <li key={check.name} className="flex gap-2">
              <Icon aria-hidden className={cn('mt-0.5 size-4 shrink-0', className)} />
              <span className={cn('min-w-0', check.result !== 'pass' && 'font-medium')}>
                <span className="sr-only">{texts.results[check.result]}: </span>
                {texts.check[check.name](check.count, check.result)}
              </span>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

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
          className="font-mono font-medium underline underline-offset-4"
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
          {other.customerName}
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
