import { NumberedSteps } from '@/components/layout/numbered-steps'
import { Card, CardTitle } from '@/components/ui/card'
import { referral as texts } from '@/messages/referral'

/** The three steps from a link to a reward. */
export function HowItWorks({ steps }: { steps: readonly { title: string; text: string }[] }) {
  return (
    <Card>
      <CardTitle>{texts.howTitle}</CardTitle>
      <NumberedSteps steps={steps} className="mt-4" />
    </Card>
  )
}
