import { useLocation } from '@tanstack/react-router'
import { ExternalLink, MailWarning } from 'lucide-react'
import { Notice } from '@/components/states/states'
import { buttonVariants } from '@/components/ui/button-variants'
import { loginHref } from '@/lib/login'
import { useConfig, useSignedInUser } from '@/lib/session'
import { account as texts } from '@/messages/account'
import { common } from '@/messages/common'

/**
 * Nothing can be ordered until the e-mail address is confirmed. The identity provider resends its mail on its
 * own page; the site learns of the confirmation at a sign-in, which asks nothing while the provider's session
 * lasts.
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
