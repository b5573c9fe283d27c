import { clsx } from 'clsx'
import { ChevronDown } from 'lucide-react'

interface QuestionsProps {
  /** `claim`: what the question is about; an installation that does not claim it hides the question. */
  items: readonly { q: string; a: string; claim?: string }[]
  className?: string
}

/** Frequent questions, each with its answer behind it. */
export function Questions({ items, className }: QuestionsProps) {
  return (
    <div className={clsx('divide-y', className)}>
      {items.map(({ q, a, claim }) => (
        <details key={q} data-claim={claim} className="group">
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
