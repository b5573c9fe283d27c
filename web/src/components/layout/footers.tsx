import { Link, useNavigate } from '@tanstack/react-router'
import { useWhole } from '@/lib/offer'
import { opensPlainly } from '@/lib/opens-plainly'
import { useConfig, useUser } from '@/lib/session'
import { footer as texts } from '@/messages/footer'
import { layout } from '@/messages/layout'
import { BrandMark } from './brand'
import { LanguageSwitch } from './language-switch'
import { ThemeSwitch } from './theme-switch'

const quickLinks = [
  { to: '/', label: layout.home },
  { to: '/buy', label: layout.buy },
  { to: '/wallet', label: layout.wallet },
  { to: '/transactions', label: layout.transactions },
  { to: '/kyc', label: layout.verification },
  { to: '/dashboard', label: layout.dashboard },
  { to: '/pricing', label: texts.pricing },
  { to: '/about', label: texts.about },
  { to: '/about', hash: 'contact', label: texts.contact },
  { to: '/referral', label: layout.referral },
  { to: '/privacy', label: texts.privacy },
  { to: '/terms', label: texts.terms },
] as const

const linkClass = 'inline-block rounded-sm py-1 text-muted-foreground hover:text-foreground hover:underline'

/** A visitor's footer, or the small one of a signed-in user. */
export function Footers() {
  return useUser() ? <AccountFooter /> : <VisitorFooter />
}

/** Signed in, the same in a few lines: the content above it comes first. */
function AccountFooter() {
  const { brand, claims, imprint, supportEmail } = useConfig()
  const whole = useWhole()
  return (
    <footer className="mt-auto border-t bg-card text-xs text-muted-foreground print:hidden">
      <div className="container-page space-y-3 py-5">
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
          <p className="flex items-center gap-2 text-sm font-semibold text-foreground">
            <BrandMark className="size-5" />
            {brand}
          </p>
          <div className="flex flex-wrap gap-2">
            <ThemeSwitch />
            <LanguageSwitch />
          </div>
        </div>
        <nav aria-label={texts.footerNavigation}>
          <ul className="flex flex-wrap gap-x-4">
            <QuickLinks />
            <SupportLinks email={supportEmail} />
          </ul>
        </nav>
        {whole && (
          <p>
            {texts.blurb(brand)} {texts.acceptedMethods}: {texts.methods.join(', ')}
          </p>
        )}
        <p className="empty:hidden">{claims.standards}</p>
        <p>
          {texts.risk} {texts.rights(brand, new Date().getFullYear())} {imprint}
        </p>
      </div>
    </footer>
  )
}

/** Of the links above, what a visitor has to sign in for. */
const forCustomers: readonly string[] = ['/buy', '/wallet', '/transactions', '/kyc', '/dashboard']

function QuickLinks() {
  const visitor = !useUser()
  const navigate = useNavigate()
  return (
    <>
      {quickLinks.map((link) => (
        <li key={link.label}>
          <Link
            to={link.to}
            {...('hash' in link ? { hash: link.hash } : {})}
            className={linkClass}
            onClick={(event) => {
              if (!visitor || !forCustomers.includes(link.to) || !opensPlainly(event)) return
              event.preventDefault()
              void navigate({ to: '/open', search: { to: link.to } })
            }}
          >
            {link.label}
          </Link>
        </li>
      ))}
      {useConfig().legal.map(({ document, title }) => (
        <li key={document}>
          <Link to="/legal/$document" params={{ document }} className={linkClass}>
            {title}
          </Link>
        </li>
      ))}
    </>
  )
}

function SupportLinks({ email }: { email: string }) {
  return (
    <>
      <li>
        <Link to="/" hash="support" className={linkClass}>
          {texts.helpCenter}
        </Link>
      </li>
      {email ? (
        <li>
          <a href={`mailto:${email}`} className={linkClass}>
            {texts.emailSupport}
          </a>
        </li>
      ) : null}
    </>
  )
}

function VisitorFooter() {
  const { brand, claims, imprint, supportEmail } = useConfig()
  const whole = useWhole()
  return (
    <footer className="mt-auto border-t bg-card text-sm print:hidden">
      <div className="container-page grid gap-6 py-8 md:grid-cols-2 md:gap-8 md:py-10 lg:grid-cols-[1.4fr_1.6fr_1fr_1fr]">
        <div>
          <p className="flex items-center gap-2 text-base font-semibold">
            <BrandMark className="size-6" />
            {brand}
          </p>
          {whole && <p className="mt-3 max-w-xs text-muted-foreground">{texts.blurb(brand)}</p>}
          <div className="mt-4 flex flex-wrap gap-2">
            <ThemeSwitch />
            <LanguageSwitch />
          </div>
        </div>
        <nav aria-label={texts.footerNavigation}>
          <h2 className="text-sm">{texts.quickLinks}</h2>
          <ul className="mt-2 flex flex-wrap gap-x-4 md:grid md:grid-cols-2">
            <QuickLinks />
          </ul>
        </nav>
        <div>
          <h2 className="text-sm">{texts.supportLinks}</h2>
          <ul className="mt-2 max-md:flex max-md:gap-x-4">
            <SupportLinks email={supportEmail} />
          </ul>
        </div>
        <div>
          {whole && (
            <>
              <h2 className="text-sm">{texts.acceptedMethods}</h2>
              <ul className="mt-3 flex flex-wrap gap-2">
                {texts.methods.map((method) => (
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
