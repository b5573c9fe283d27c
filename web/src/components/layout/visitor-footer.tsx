import { useNavigate } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { opensPlainly } from '@/lib/opens-plainly'
import { useConfig } from '@/lib/session'
import { footer as texts } from '@/messages/footer'
import { BrandMark } from './brand'
import { QuickLinks, SupportLinks, useAccepted, useBlurb } from './footers'
import { LanguageSwitch } from './language-switch'
import { ThemeSwitch } from './theme-switch'

/** Of the quick links, what a visitor has to sign in for. */
const forCustomers: readonly string[] = ['/buy', '/wallet', '/transactions', '/kyc', '/dashboard']

/** A click on a link that a visitor has to sign in for leads to the page that says so. */
function useSignInFirst(): (event: MouseEvent, to: string) => void {
  const navigate = useNavigate()
  return (event, to) => {
    if (!forCustomers.includes(to) || !opensPlainly(event)) return
    event.preventDefault()
    void navigate({ to: '/open', search: { to } })
  }
}

export function VisitorFooter() {
  const { brand, claims, imprint, supportEmail } = useConfig()
  const methods = useAccepted()
  const blurb = useBlurb(brand)
  const signInFirst = useSignInFirst()
  return (
    <footer className="mt-auto border-t bg-card text-sm print:hidden">
      <div className="container-page grid gap-6 py-8 md:grid-cols-2 md:gap-8 md:py-10 lg:grid-cols-[1.4fr_1.6fr_1fr_1fr]">
        <div>
          <p className="flex items-center gap-2 text-base font-semibold">
            <BrandMark className="size-6" />
            {brand}
          </p>
          {blurb && <p className="mt-3 max-w-xs text-muted-foreground">{blurb}</p>}
          <div className="mt-4 flex flex-wrap gap-2">
            <ThemeSwitch />
            <LanguageSwitch />
          </div>
        </div>
        <nav aria-label={texts.footerNavigation}>
          <h2 className="text-sm">{texts.quickLinks}</h2>
          <ul className="mt-2 flex flex-wrap gap-x-4 md:grid md:grid-cols-2">
            <QuickLinks onFollow={signInFirst} />
          </ul>
        </nav>
        <div>
          <h2 className="text-sm">{texts.supportLinks}</h2>
          <ul className="mt-2 max-md:flex max-md:gap-x-4">
            <SupportLinks email={supportEmail} />
          </ul>
        </div>
        <div>
          {methods[0] && (
            <>
              <h2 className="text-sm">{texts.acceptedMethods}</h2>
              <ul className="mt-3 flex flex-wrap gap-2">
                {methods.map((method) => (
                  <li
                    key={method}
                    className="text-xs text-muted-foreground md:rounded-sm md:border md:px-2 md:py-1"
                  >
                    {method}
                  </li>
                ))}
              </ul>
            </>
          )}
          <p className="mt-4 text-xs text-muted-foreground empty:hidden">{claims.standards}</p>
        </div>
      </div>
      <div className="border-t">
        <div className="container-page py-4 text-xs text-muted-foreground">
          <p className="max-w-prose">{texts.risk}</p>
          {/* The first view was made at build, in another year perhaps. */}
          <p className="mt-2" suppressHydrationWarning>
            {texts.rights(brand, new Date().getFullYear())} {imprint}
          </p>
        </div>
      </div>
    </footer>
  )
}
