import { Card, CardTitle } from '@/components/ui/card'
import { referral as texts } from '@/messages/referral'

/** The three steps from a link to a reward. */
export function HowItWorks({ steps }: { steps: readonly { title: string; text: string }[] }) {
  return (
    <Card>
      <CardTitle>{texts.howTitle}</CardTitle>
      <ol className="mt-4 grid gap-x-6 gap-y-4 md:grid-cols-3">
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
    </Card>
  )
}
