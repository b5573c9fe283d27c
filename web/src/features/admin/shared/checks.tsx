import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import type { GiftCardCheck } from '@/api/types.gen'
import { Card, CardTitle } from '@/components/ui/card'
import { cn } from '@/lib/cn'
import { records as texts } from '@/messages/admin-records'

const results = {
  fail: { icon: CircleX, className: 'text-danger-text' },
  warn: { icon: TriangleAlert, className: 'text-pending-text' },
  pass: { icon: CircleCheck, className: 'text-success-text' },
} as const

const order = Object.keys(results)

interface Check {
  name: string
  result: GiftCardCheck['result']
  count: number
}

interface ChecksProps<C extends Check> {
  checks: readonly C[]
  /** The check in a sentence. */
  say: (check: C) => string
}

/** The automatic checks of a case, the worst first. */
export function Checks<C extends Check>({ checks, say }: ChecksProps<C>) {
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
                {say(check)}
              </span>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
