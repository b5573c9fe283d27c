import { Link } from '@tanstack/react-router'
import { LogIn } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Page } from '@/components/layout/page'
import { LoadingRows, NothingYet } from '@/components/states/states'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card } from '@/components/ui/card'
import { loginHref } from '@/lib/login'
import { useUser } from '@/lib/session'
import { layout } from '@/messages/layout'
import { referral } from '@/messages/referral'
import { HowItWorks } from './how-it-works'

/** The amount is shown to signed-in customers. */
const visitorSteps = referral
  .how(undefined)
  .map((step, index, all) => (index === all.length - 1 ? { ...step, text: referral.visitorHow } : step))

const MyReferrals = lazy(async () => ({ default: (await import('./my-referrals')).MyReferrals }))

export function ReferralScreen() {
  const user = useUser()
  return (
    <Page title={referral.title} lead={user ? undefined : referral.visitor}>
      {user ? (
        <Suspense fallback={<LoadingRows rows={4} />}>
          <MyReferrals />
        </Suspense>
      ) : (
        <div className="space-y-6">
          <Card>
            <NothingYet
              icon={LogIn}
              title={referral.signInRequired}
              hint={referral.signInHint}
              action={
                <div className="flex flex-wrap justify-center gap-2">
                  <a href={loginHref({ returnTo: '/referral' })} className={buttonVariants()}>
                    {layout.signIn}
                  </a>
                  <Link to="/" className={buttonVariants({ variant: 'outline' })}>
                    {layout.home}
                  </Link>
                </div>
              }
            />
          </Card>
          <HowItWorks steps={visitorSteps} />
        </div>
      )}
    </Page>
  )
}
