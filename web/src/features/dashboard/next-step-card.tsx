import { Link } from '@tanstack/react-router'
import {
  ArrowRight,
  BadgeCheck,
  CircleCheck,
  Clock,
  CreditCard,
  Lock,
  type LucideIcon,
  ShoppingBag,
  TriangleAlert,
} from 'lucide-react'
import { buttonVariants } from '@/components/ui/button-variants'
import { cn } from '@/lib/cn'
import { count, shortTime, usd } from '@/lib/format'
import { dashboard } from '@/messages/dashboard'
import { identity } from '@/messages/identity'
import type { NextStep } from './next-step'

const looks: Record<NextStep['kind'], { icon: LucideIcon; tint: string }> = {
  pay: { icon: CreditCard, tint: 'bg-primary-tint text-primary' },
  choose: { icon: TriangleAlert, tint: 'bg-pending-tint text-pending-text' },
  address: { icon: TriangleAlert, tint: 'bg-pending-tint text-pending-text' },
  confirm_address: { icon: TriangleAlert, tint: 'bg-pending-tint text-pending-text' },
  confirm_order: { icon: TriangleAlert, tint: 'bg-pending-tint text-pending-text' },
  identity: { icon: TriangleAlert, tint: 'bg-pending-tint text-pending-text' },
  verify: { icon: BadgeCheck, tint: 'bg-primary-tint text-primary' },
  retry: { icon: TriangleAlert, tint: 'bg-pending-tint text-pending-text' },
  refused: { icon: TriangleAlert, tint: 'bg-danger-tint text-danger-text' },
  reviewed: { icon: Clock, tint: 'bg-info-tint text-info-text' },
  buy: { icon: ShoppingBag, tint: 'bg-primary-tint text-primary' },
  frozen: { icon: Lock, tint: 'bg-pending-tint text-pending-text' },
  restricted: { icon: Lock, tint: 'bg-pending-tint text-pending-text' },
  nothing: { icon: CircleCheck, tint: 'bg-success-tint text-success-text' },
}

/** Where a hold is ended. */
export const holdWay = { frozen: '/support', restricted: '/settings/privacy' } as const

function wordsOf({ kind }: NextStep) {
  if (kind === 'refused')
    return { title: identity.cardTitle, text: identity.rejectedFinal, link: identity.support }
  return kind === 'frozen' || kind === 'restricted' ? dashboard.holds[kind] : dashboard.steps[kind]
}

interface NextStepCardProps {
  step: NextStep
  /** How many orders wait for their customer. */
  waiting: number
}

/** The one thing to do now, with its link, and a link to the other orders that need something. */
export function NextStepCard({ step, waiting }: NextStepCardProps) {
  const { icon: Icon, tint } = looks[step.kind]
  const words = wordsOf(step)
  const text =
    'order' in step
      ? dashboard.stepOrder(
          step.order.reference,
          usd(step.order.quoteFiat),
          step.deadline && shortTime(step.deadline),
        )
      : 'text' in words && words.text
  return (
    <section
      aria-label={dashboard.nextStep}
      className="flex min-h-20 flex-wrap items-center gap-x-4 gap-y-3 rounded-lg border bg-card p-4 md:px-6"
    >
      <span className={cn('grid size-10 shrink-0 place-items-center rounded-full', tint)}>
        <Icon aria-hidden className="size-5" />
      </span>
      <div className="min-w-0 flex-1 basis-52">
        <h2 className="text-base">{words.title}</h2>
        <p className="text-sm text-muted-foreground">{text}</p>
      </div>
      <Way step={step} />
      {waiting > 1 ? (
        <Link
          to="/orders"
          className={cn(
            'flex w-full items-center justify-between gap-1 border-t pt-2 lg:w-auto lg:border-0 lg:pt-0',
            'text-sm font-medium text-pending-text hover:underline',
          )}
        >
          {dashboard.waiting(count(waiting))}
          <ArrowRight aria-hidden className="size-4" />
        </Link>
      ) : null}
    </section>
  )
}

function wayOf(kind: Exclude<NextStep['kind'], 'reviewed'>) {
  if (kind === 'frozen' || kind === 'restricted') return holdWay[kind]
  if (kind === 'refused') return '/support'
  return kind === 'buy' || kind === 'nothing' ? '/buy' : '/kyc'
}

function Way({ step }: { step: NextStep }) {
  const look = buttonVariants({ className: 'w-full sm:w-auto' })
  const { link } = wordsOf(step)
  const label = (
    <>
      {link}
      <ArrowRight aria-hidden />
    </>
  )
  if ('order' in step)
    return (
      <Link to="/orders/$id" params={{ id: step.order.id }} className={look}>
        {label}
      </Link>
    )
  if (step.kind === 'reviewed') return null
  return (
    <Link to={wayOf(step.kind)} className={look}>
      {label}
    </Link>
  )
}
