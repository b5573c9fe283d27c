import { Link } from '@tanstack/react-router'
import { LogIn } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Page } from '@/components/layout/page'
import { LoadingRows, NothingYet } from '@/components/states/states'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card } from '@/components/ui/card'
import { useUser } from '@/lib/session'
import { layout } from '@/messages/layout'
import { referral } from '@/messages/referral'

const MyReferrals = lazy(async () => ({ default: (await import('./my-referrals')).MyReferrals }))

export function ReferralScreen() {
  const user = useUser()
  return (
    <Page title={referral.title}>
      {user ? (
        <Suspense fallback={<LoadingRows rows={4} />}>
          <MyReferrals />
        </Suspense>
      ) : (
        <Card>
          <NothingYet
            icon={LogIn}
            title={referral.signInRequired}
            hint={referral.signInHint}
            action={
              <Link to="/" className={buttonVariants()}>
                {layout.home}
              </Link>
            }
          />
        </Card>
      )}
    </Page>
  )
}
