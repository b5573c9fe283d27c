import { Link } from '@tanstack/react-router'
import { Gift, LogIn } from 'lucide-react'
import { Page } from '@/components/layout/page'
import { NothingYet } from '@/components/states/states'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card } from '@/components/ui/card'
import { useUser } from '@/lib/session'
import { layout } from '@/messages/layout'
import { referral } from '@/messages/referral'

export function ReferralScreen() {
  const user = useUser()
  return (
    <Page title={referral.title}>
      <Card>
        {user ? (
          <NothingYet icon={Gift} title={referral.notOpen} hint={referral.notOpenHint} />
        ) : (
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
        )}
      </Card>
    </Page>
  )
}
