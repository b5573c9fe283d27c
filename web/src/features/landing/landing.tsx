import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import {
  ArrowRight,
  Banknote,
  Building2,
  CreditCard,
  Landmark,
  LifeBuoy,
  Shield,
  Sparkles,
} from 'lucide-react'
import { type FormEvent, lazy, Suspense } from 'react'
import type { Claims } from '@/api/types.gen'
import { Questions } from '@/components/layout/questions'
import { buttonVariants } from '@/components/ui/button-variants'
import { loginHref } from '@/lib/login'
import { useConfig } from '@/lib/session'
import { toast } from '@/lib/toast'
import { landing } from '@/messages/landing'

const Prices = lazy(() => import('./live-prices'))

/** Its room is kept until it is there: nothing below it moves. */
function LivePrices() {
  return (
    <section aria-label={landing.pricesTitle} className="min-h-44 border-b sm:min-h-30 lg:min-h-20">
      <Suspense>
        <Prices />
      </Suspense>
    </section>
  )
}

/** The signed-out start page: rendered at build for the first view, and by the browser after it. */
export function Landing() {
  const { claims } = useConfig()
  return (
    <>
      <Hero bonus={claims.signupBonusUsd} />
      <LivePrices />
      <HowItWorks />
      <Figures claims={claims} />
      <Methods card={claims.cardFeePercent} ach={claims.achFeePercent} />
      <Pillars />
      <Faq />
      <Newsletter />
      <FinalCall bonus={claims.signupBonusUsd} />
    </>
  )
}

function Hero({ bonus }: { bonus: string }) {
  return (
    <section className="border-b bg-card">
      <div className="container-page grid items-center gap-10 py-14 md:py-20 lg:grid-cols-[1.15fr_1fr]">
        <div>
          <p className="inline-flex items-center gap-2 rounded-full bg-primary-tint px-3 py-1 text-sm font-medium text-primary">
            <Sparkles aria-hidden className="size-4" />
            {landing.bonusBadge(bonus)}
          </p>
          <h1 tabIndex={-1} className="mt-5 text-2xl md:text-hero">
            {landing.title}
          </h1>
          <p className="mt-4 max-w-prose text-base text-muted-foreground">{landing.lead}</p>
          <div className="mt-8 flex flex-wrap gap-3">
            <a href={loginHref({ signUp: true })} className={buttonVariants({ size: 'lg' })}>
              {landing.getStarted}
              <ArrowRight aria-hidden />
            </a>
            <a href="#features" className={buttonVariants({ variant: 'outline', size: 'lg' })}>
              {landing.learnMore}
            </a>
          </div>
          <p className="mt-4 text-sm text-muted-foreground">{landing.bonusTerms}</p>
        </div>
        <SampleOrder />
      </div>
    </section>
  )
}

/** What an order looks like; marked as an example, so that nobody takes it for a price. */
function SampleOrder() {
  return (
    <figure className="rounded-xl border bg-background p-5 md:p-6">
      <figcaption className="text-sm text-muted-foreground">{landing.sample.caption}</figcaption>
      <ol className="mt-4 space-y-4">
        {landing.sample.steps.map((step, index) => (
          <li key={step.title} className="flex gap-3">
            <span
              aria-hidden
              className={clsx(
                'mt-0.5 grid size-6 shrink-0 place-items-center rounded-full text-xs font-semibold tabular-nums',
                index === landing.sample.steps.length - 1
                  ? 'bg-success-tint text-success-text'
                  : 'bg-primary-tint text-primary',
              )}
            >
              {index + 1}
            </span>
            <div>
              <p className="text-sm font-medium">{step.title}</p>
              <p className="text-sm text-muted-foreground">{step.text}</p>
            </div>
          </li>
        ))}
      </ol>
    </figure>
  )
}

/** A section whose heading stands beside what it holds, where there is room. */
function SplitSection({
  id,
  title,
  aside,
  children,
  tinted,
}: {
  id?: string
  title: string
  aside: React.ReactNode
  children: React.ReactNode
  tinted?: boolean
}) {
  return (
    <section id={id} className={clsx('border-b', tinted && 'bg-card')}>
      <div className="container-page grid gap-x-12 gap-y-6 py-12 md:py-16 lg:grid-cols-[1fr_1.6fr]">
        <div>
          <h2 className="text-xl">{title}</h2>
          <p className="mt-3 text-sm text-muted-foreground">{aside}</p>
        </div>
        {children}
      </div>
    </section>
  )
}

function Section({
  id,
  title,
  children,
  tinted,
}: {
  id?: string
  title: string
  children: React.ReactNode
  tinted?: boolean
}) {
  return (
    <section id={id} className={clsx('border-b', tinted && 'bg-card')}>
      <div className="container-page py-12 md:py-16">
        <h2 className="text-xl">{title}</h2>
        <div className="mt-6">{children}</div>
      </div>
    </section>
  )
}

function HowItWorks() {
  return (
    <Section id="how-it-works" title={landing.howTitle}>
      <ol className="grid gap-6 md:grid-cols-3">
        {landing.how.map((step, index) => (
          <li key={step.title} className="rounded-lg border bg-card p-5">
            <span
              aria-hidden
              className="grid size-8 place-items-center rounded-full bg-primary-tint text-sm font-semibold text-primary tabular-nums"
            >
              {index + 1}
            </span>
            <h3 className="mt-3 text-base">{step.title}</h3>
            <p className="mt-1 text-sm text-muted-foreground">{step.text}</p>
          </li>
        ))}
      </ol>
    </Section>
  )
}

const figures = ['countries', 'tokens', 'processedUsd', 'users'] as const

/**
 * What an installation claims of itself. One that is not claimed is empty and takes no room; that is told in CSS, because
 * the first view is rendered before it is known (prerender.tsx).
 */
function Figures({ claims }: { claims: Claims }) {
  return (
    <section aria-label={landing.figuresTitle} className="border-b bg-card not-has-[dd:not(:empty)]:hidden">
      <dl className="container-page grid grid-cols-2 gap-6 py-10 md:grid-cols-4">
        {figures.map((figure) => (
          <div key={figure} className="flex flex-col-reverse justify-end has-[dd:empty]:hidden">
            <dt className="text-sm text-muted-foreground">{landing.figures[figure]}</dt>
            <dd className="text-2xl font-semibold tabular-nums">{claims[figure]}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const methodIcons = [CreditCard, Landmark, Building2, Banknote]

function Methods({ card, ach }: { card: string; ach: string }) {
  return (
    <Section id="features" title={landing.methodsTitle}>
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        {landing.methods(card, ach).map((method, index) => {
          const Icon = methodIcons[index] ?? CreditCard
          return (
            <li key={method.title} className="rounded-lg border bg-card p-5">
              <Icon aria-hidden className="size-6 text-primary" />
              <h3 className="mt-3 text-base">{method.title}</h3>
              <p className="mt-1 text-sm text-muted-foreground">{method.text}</p>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}

const pillarIcons = [Sparkles, Shield, LifeBuoy]

function Pillars() {
  return (
    <Section title={landing.pillarsTitle} tinted>
      <ul className="grid gap-8 md:grid-cols-3">
        {landing.pillars.map((pillar, index) => {
          const Icon = pillarIcons[index] ?? Shield
          return (
            <li key={pillar.title}>
              <Icon aria-hidden className="size-6 text-primary" />
              <h3 className="mt-3 text-base">{pillar.title}</h3>
              <p className="mt-1 text-sm text-muted-foreground">{pillar.text}</p>
            </li>
          )
        })}
      </ul>
      <p className="mt-8 text-sm text-muted-foreground">{landing.more}</p>
    </Section>
  )
}

function Faq() {
  const { claims } = useConfig()
  const contact = (
    <>
      {landing.faqMore}{' '}
      <Link to="/about" hash="contact" className="font-medium text-primary underline underline-offset-4">
        {landing.faqContact}
      </Link>
    </>
  )
  return (
    <SplitSection id="support" title={landing.faqTitle} aside={contact}>
      <Questions items={landing.faq(claims)} className="rounded-lg border bg-card px-5 text-base" />
    </SplitSection>
  )
}

/** SPEC §2: a toast and an empty form; no server call. The field is the browser's own: it may be filled before scripts run. */
function Newsletter() {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    toast({ title: landing.newsletterThanks, description: landing.newsletterAdded })
    event.currentTarget.reset()
  }
  return (
    <SplitSection title={landing.newsletterTitle} aside={landing.newsletterText} tinted>
      <form onSubmit={submit} className="flex max-w-lg flex-col gap-3 sm:flex-row sm:items-end">
        <div className="min-w-0 flex-1 space-y-1.5">
          <label htmlFor="newsletter" className="block text-sm font-medium">
            {landing.newsletterLabel}
          </label>
          <input
            id="newsletter"
            type="email"
            required
            autoComplete="email"
            className="h-11 w-full rounded-md border border-input bg-card px-3 text-base"
          />
        </div>
        <button type="submit" className={buttonVariants({ className: 'h-11 md:h-11' })}>
          {landing.newsletterButton}
        </button>
      </form>
    </SplitSection>
  )
}

function FinalCall({ bonus }: { bonus: string }) {
  return (
    <section className="bg-primary text-primary-foreground">
      <div className="container-page flex flex-wrap items-center justify-between gap-6 py-12">
        <div>
          <h2 className="text-xl">{landing.finalTitle(bonus)}</h2>
          <p className="mt-1 text-base">{landing.finalText}</p>
        </div>
        <a
          href={loginHref({ signUp: true })}
          className={buttonVariants({ variant: 'secondary', size: 'lg' })}
        >
          {landing.getStarted}
        </a>
      </div>
    </section>
  )
}
