import { Link } from '@tanstack/react-router'
import { useConfig } from '@/lib/session'
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
  { to: '/pricing', label: layout.pricing },
  { to: '/about', label: layout.about },
  { to: '/about', hash: 'contact', label: layout.contact },
  { to: '/referral', label: layout.referral },
  { to: '/privacy', label: layout.privacy },
  { to: '/terms', label: layout.terms },
] as const

const linkClass = 'inline-block rounded-sm py-1 text-muted-foreground hover:text-foreground hover:underline'

export function Footer() {
  const { brand, supportEmail } = useConfig()
  return (
    <footer className="mt-auto border-t bg-card text-sm print:hidden">
      <div className="container-page grid gap-8 py-10 md:grid-cols-2 lg:grid-cols-[1.4fr_1.6fr_1fr_1fr]">
        <div>
          <p className="flex items-center gap-2 text-base font-semibold">
            <BrandMark className="size-6" />
            {brand}
          </p>
          <p className="mt-3 max-w-xs text-muted-foreground">{layout.blurb(brand)}</p>
          <div className="mt-4 flex flex-wrap gap-2">
            <ThemeSwitch />
            <LanguageSwitch />
          </div>
        </div>
        <nav aria-label={layout.footerNavigation}>
          <h2 className="text-sm">{layout.quickLinks}</h2>
          <ul className="mt-2 grid grid-cols-2 gap-x-4">
            {quickLinks.map((link) => (
              <li key={link.label}>
                <Link to={link.to} {...('hash' in link ? { hash: link.hash } : {})} className={linkClass}>
                  {link.label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div>
          <h2 className="text-sm">{layout.supportLinks}</h2>
          <ul className="mt-2">
            <li>
              <Link to="/" hash="support" className={linkClass}>
                {layout.helpCenter}
              </Link>
            </li>
            {supportEmail ? (
              <li>
                <a href={`mailto:${supportEmail}`} className={linkClass}>
                  {layout.emailSupport}
                </a>
              </li>
            ) : null}
          </ul>
        </div>
        <div>
          <h2 className="text-sm">{layout.acceptedMethods}</h2>
          <ul className="mt-3 flex flex-wrap gap-2">
            {layout.methods.map((method) => (
              <li key={method} className="rounded-sm border px-2 py-1 text-xs text-muted-foreground">
                {method}
              </li>
            ))}
          </ul>
          <ul className="mt-4 flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted-foreground">
            {layout.badges.map((badge) => (
              <li key={badge}>{badge}</li>
            ))}
          </ul>
        </div>
      </div>
      <div className="border-t">
        <div className="container-page py-4 text-xs text-muted-foreground">
          <p className="max-w-prose">{layout.risk}</p>
          {/* The first view was made at build, in another year perhaps. */}
          <p className="mt-2" suppressHydrationWarning>
            {layout.rights(brand, new Date().getFullYear())}
          </p>
        </div>
      </div>
    </footer>
  )
}
