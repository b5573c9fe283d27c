import { Link } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { assets } from '@/api/lists.gen'
import { useCoins, useOffered } from '@/lib/offer'
import { useConfig } from '@/lib/session'
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

/** The rails of the accepted methods, in the order of their texts. */
const acceptedRails = ['card', 'card', 'ach', 'cash', 'wire']

export function useAccepted(): string[] {
  const offers = useOffered('rails')
  return texts.methods.filter((_, index) => offers(acceptedRails[index]))
}

/** It names all coins, and is empty where not all are offered. */
export const useBlurb = (brand: string) => useCoins().length === assets.length && texts.blurb(brand)

const linkClass = 'inline-block rounded-sm py-1 text-muted-foreground hover:text-foreground hover:underline'

/** A signed-in person's: a visitor's (visitor-footer.tsx) in a few lines, as the content above it comes first. */
export function Footers() {
  const { brand, claims, imprint, supportEmail } = useConfig()
  const methods = useAccepted()
  const blurb = useBlurb(brand)
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
        {methods[0] && (
          <p>
            {blurb} {texts.acceptedMethods}: {methods.join(', ')}
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

interface QuickLinksProps {
  /** What else a click on a link does. */
  onFollow?: (event: MouseEvent, to: string) => void
}

export function QuickLinks({ onFollow }: QuickLinksProps) {
  return (
    <>
      {quickLinks.map((link) => (
        <li key={link.label}>
          <Link
            to={link.to}
            {...('hash' in link ? { hash: link.hash } : {})}
            className={linkClass}
            onClick={(event) => onFollow?.(event, link.to)}
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

export function SupportLinks({ email }: { email: string }) {
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
