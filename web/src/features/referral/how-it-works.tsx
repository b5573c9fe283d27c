import { PageSteps } from '@/components/layout/page-steps'
import { Card, CardTitle } from '@/components/ui/card'
import { referral as texts } from '@/messages/referral'

/** The three steps from a link to a reward. */
export function HowItWorks({ steps }: { steps: readonly { title: string; text: string }[] }) {
  return (
    <Card>
      <CardTitle>{texts.howTitle}</CardTitle>
      <PageSteps steps={steps} className="mt-4" />
    </Card>
  )
}
