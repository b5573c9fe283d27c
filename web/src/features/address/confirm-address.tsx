import { useLocation } from '@tanstack/react-router'
import { ExternalLink, MailWarning } from 'lucide-react'
import { Notice } from '@/components/states/states'
import { buttonVariants } from '@/components/ui/button-variants'
import { loginHref } from '@/lib/login'
import { useConfig, useSignedInUser } from '@/lib/session'
import { account as texts } from '@/messages/account'
import { common } from '@/messages/common'

/**
 * Until the address is confirmed nothing can be begun. The identity provider sends the mail again on its own page; a
 * sign-in, for which it asks nothing of who has a session there, is how the site hears that it was confirmed.
 */
export function ConfirmAddress() {
  const { email } = useSignedInUser()
  const { addressUrl } = useConfig()
  const path = useLocation({ select: (location) => location.pathname })
  return (
    <div className="mb-6">
      <Notice tone="pending" icon={MailWarning} role="status" title={texts.confirmAddress}>
        <p className="mb-3">{texts.confirmAddressText(email)}</p>
        <p className="flex flex-wrap gap-2">
          <a href={loginHref({ returnTo: path })} className={buttonVariants({ size: 'sm' })}>
            {texts.addressConfirmed}
          </a>
          {addressUrl ? (
            <a
              href={addressUrl}
              target="_blank"
              rel="noreferrer"
              className={buttonVariants({ variant: 'outline', size: 'sm' })}
            >
              {texts.sendAgain}
              <ExternalLink aria-hidden />
              <span className="sr-only">({common.openInNewTab})</span>
            </a>
          ) : null}
        </p>
      </Notice>
    </div>
  )
}
