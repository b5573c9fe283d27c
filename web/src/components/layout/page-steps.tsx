import { cn } from '@/lib/cn'

interface PageStepsProps {
  steps: readonly { title: string; text: string }[]
  className?: string
}

/** The steps in order: a number, a title, a sentence. In columns where there is room. */
export function PageSteps({ steps, className }: PageStepsProps) {
  return (
    <ol className={cn('grid gap-x-6 gap-y-4 md:grid-cols-3', className)}>
      {steps.map(({ title, text }, index) => (
        <li key={title} className="flex gap-3 md:block">
          <span
            aria-hidden
            className="grid size-8 shrink-0 place-items-center rounded-full bg-primary-tint font-semibold text-primary md:mb-2"
          >
            {index + 1}
          </span>
          <div>
            <p className="font-medium">{title}</p>
            <p className="mt-1 text-sm text-muted-foreground">{text}</p>
          </div>
        </li>
      ))}
    </ol>
  )
}
