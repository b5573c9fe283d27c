import { useLocation } from '@tanstack/react-router'
import { NotFound } from '@/components/layout/not-found'
import { Page } from '@/components/layout/page'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card } from '@/components/ui/card'
import { loginHref } from '@/lib/login'
import { ownPath } from '@/lib/own-path'
import { common } from '@/messages/common'
import { open as texts } from '@/messages/open'
import { waitingAt } from './waiting'

/** Where mails and the links of a signed-out footer lead: it names what waits, and opens it after the sign-in. */
export function OpenScreen() {
  const asked = useLocation({ select: ({ search }) => (search as { to?: string }).to })
  const to = ownPath(asked ?? '/')
  if (!to) return <NotFound />
  return (
    <Page title={texts.title(texts.waiting[waitingAt(to)])} lead={texts.lead}>
      <Card className="flex flex-wrap gap-2">
        <a href={loginHref({ returnTo: to })} className={buttonVariants()}>
          {common.signIn}
        </a>
        <a
          href={loginHref({ returnTo: to, signUp: true })}
          className={buttonVariants({ variant: 'outline' })}
        >
          {texts.signUp}
        </a>
      </Card>
    </Page>
  )
}
