import { clsx } from 'clsx'
import { ChevronDown } from 'lucide-react'

interface QuestionsProps {
  items: readonly { q: string; a: string }[]
  className?: string
}

/** What people ask, each with its answer behind it. */
export function Questions({ items, className }: QuestionsProps) {
  return (
    <div className={clsx('divide-y', className)}>
      {items.map(({ q, a }) => (
        <details key={q} className="group">
          <summary className="flex cursor-pointer list-none items-center justify-between gap-4 rounded-sm py-3.5 font-medium [&::-webkit-details-marker]:hidden">
            {q}
            <ChevronDown
              aria-hidden
              className="size-5 shrink-0 text-muted-foreground transition-transform group-open:rotate-180 motion-reduce:transition-none"
            />
          </summary>
          <p className="max-w-prose pb-4 text-sm text-muted-foreground">{a}</p>
        </details>
      ))}
    </div>
  )
}
