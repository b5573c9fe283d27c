import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Banknote, Building2, CreditCard, Landmark, LifeBuoy, Shield, Sparkles } from 'lucide-react'
import type { FormEvent } from 'react'
import type { Claims } from '@/api/types.gen'
import { Questions } from '@/components/layout/questions'
import { buttonVariants } from '@/components/ui/button-variants'
import { loginHref } from '@/lib/login'
import { useOffered, useWhole } from '@/lib/offer'
import { useConfig } from '@/lib/session'
import { toast } from '@/lib/toast'
import { assetNames } from '@/messages/common'
import { landing } from '@/messages/landing'
import { landingMore } from '@/messages/landing-more'
import { language } from '@/messages/locale'

/** Everything below the landing page's first view: in the page from the start, hydrated after it. */
export function Below() {
  const { claims } = useConfig()
  return (
    <>
      <OrderPage />
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

/** The pictures are screenshots of the running product (`make pictures`), one for each language and theme. */
const picture = language === 'en' ? '/order' : `/order-${language}`
const looks = [
  { src: `${picture}.webp`, className: 'dark:hidden' },
  { src: `${picture}-dark.webp`, className: 'hidden dark:block' },
]

function OrderPage() {
  const { sample } = landingMore
  const offers = useOffered('rails')
  return (
    <section className="border-b">
      <div className="container-page grid items-center gap-6 py-8 md:gap-10 md:py-16 lg:grid-cols-2">
        <div>
          <h2 className="text-xl">{sample.title}</h2>
          <p className="mt-3 max-w-prose text-base text-muted-foreground">{sample.text}</p>
          <ol className="mt-6 grid grid-cols-2 gap-4 md:grid-cols-1">
            {sample.steps
              .filter((_, index) => index !== 1 || offers('card'))
              .map((step, index) => (
                <li key={step.title} className="flex gap-3">
                  <span
                    aria-hidden
                    className="mt-0.5 grid size-6 shrink-0 place-items-center rounded-full bg-primary-tint text-xs font-semibold text-primary tabular-nums"
                  >
                    {index + 1}
                  </span>
                  <div>
                    <h3 className="text-sm font-medium">{step.title}</h3>
                    <p className="hidden text-sm text-muted-foreground sm:block">{step.text}</p>
                  </div>
                </li>
              ))}
          </ol>
        </div>
        <div className="mx-auto max-h-96 w-full max-w-97.5 overflow-hidden rounded-xl border bg-card shadow-lg md:max-h-none">
          {looks.map(({ src, className }) => (
            <img
              key={src}
              src={src}
              alt={sample.picture}
              width={390}
              height={720}
              loading="lazy"
              decoding="async"
              className={clsx('h-auto w-full', className)}
            />
          ))}
        </div>
      </div>
    </section>
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
      <div className="container-page grid gap-x-12 gap-y-6 py-8 md:py-16 lg:grid-cols-[1fr_1.6fr]">
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
      <div className="container-page py-8 md:py-16">
        <h2 className="text-xl">{title}</h2>
        <div className="mt-6">{children}</div>
      </div>
    </section>
  )
}

/** Tiles beside each other where there is room; on a phone one card with a line for each. */
const tiles = (columns: string) =>
  clsx('grid max-md:divide-y max-md:rounded-lg max-md:border max-md:bg-card', columns)
const tile = 'flex gap-4 p-4 md:block md:rounded-lg md:border md:bg-card md:p-5'

function HowItWorks() {
  const whole = useWhole()
  return (
    <Section id="how-it-works" title={landingMore.howTitle}>
      <ol className={tiles('md:grid-cols-3 md:gap-6')}>
        {landingMore.how.map((step, index) => (
          <li key={step.title} className={tile}>
            <span
              aria-hidden
              className="grid size-8 shrink-0 place-items-center rounded-full bg-primary-tint text-sm font-semibold text-primary tabular-nums"
            >
              {index + 1}
            </span>
            <div className="md:mt-3">
              <h3 className="text-base">{step.title}</h3>
              <p className="mt-1 text-sm text-muted-foreground">
                {index !== 1 || whole ? step.text : landingMore.feesListed}
              </p>
            </div>
          </li>
        ))}
      </ol>
    </Section>
  )
}

const figures = ['countries', 'tokens', 'processedUsd', 'users'] as const

/**
 * What an installation claims of itself. One that is not claimed is empty and takes no room; CSS handles
 * that, because the first view is rendered before it is known (prerender.tsx).
 */
function Figures({ claims }: { claims: Claims }) {
  return (
    <section
      aria-label={landingMore.figuresTitle}
      className="border-b bg-card not-has-[dd:not(:empty)]:hidden"
    >
      <dl className="container-page grid grid-cols-2 gap-x-6 gap-y-4 py-6 md:grid-cols-4 md:py-10">
        {figures.map((figure) => (
          <div key={figure} className="flex flex-col-reverse justify-end has-[dd:empty]:hidden">
            <dt className="text-sm text-muted-foreground">{landingMore.figures[figure]}</dt>
            <dd className="text-2xl font-semibold tabular-nums">{claims[figure]}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const methodIcons = [CreditCard, Landmark, Building2, Banknote]
const methodRails = ['card', 'ach', 'wire', 'cash']

function Methods({ card, ach }: { card: string; ach: string }) {
  const offers = useOffered('rails')
  return (
    <Section id="features" title={landingMore.methodsTitle}>
      <ul className={tiles('md:grid-cols-2 md:gap-4 lg:grid-cols-4')}>
        {landingMore.methods(card, ach).map((method, index) => {
          if (!offers(methodRails[index])) return null
          const Icon = methodIcons[index] ?? CreditCard
          return (
            <li key={method.title} className={tile}>
              <Icon aria-hidden className="size-6 shrink-0 text-primary" />
              <div className="md:mt-3">
                <h3 className="text-base">{method.title}</h3>
                <p className="mt-1 text-sm text-muted-foreground">{method.text}</p>
              </div>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}

const pillarIcons = [Sparkles, Shield, LifeBuoy]

function Pillars() {
  const offers = useOffered('rails')
  return (
    <Section title={landingMore.pillarsTitle} tinted>
      <ul className="grid gap-5 md:grid-cols-3 md:gap-8">
        {landingMore.pillars.map((pillar, index) => {
          const Icon = pillarIcons[index] ?? Shield
          return (
            <li key={pillar.title} className="flex gap-4 md:block">
              <Icon aria-hidden className="size-6 shrink-0 text-primary" />
              <div className="md:mt-3">
                <h3 className="text-base">{pillar.title}</h3>
                <p className="mt-1 text-sm text-muted-foreground">{pillar.text}</p>
              </div>
            </li>
          )
        })}
      </ul>
      {offers('gift_card') && offers('voucher') ? (
        <p className="mt-6 text-sm text-muted-foreground md:mt-8">{landingMore.more}</p>
      ) : null}
    </Section>
  )
}

function Faq() {
  const { claims } = useConfig()
  const sold = Object.keys(assetNames).filter(useOffered('assets'))
  const whole = useWhole()
  const told = landingMore.faq(claims)
  const coins = `${sold.map((one) => `${assetNames[one]} (${one})`).join(', ')}.`
  const contact = (
    <>
      {landingMore.faqMore}{' '}
      <Link to="/about" hash="contact" className="font-medium text-primary underline underline-offset-4">
        {landingMore.faqContact}
      </Link>
    </>
  )
  return (
    <SplitSection id="support" title={landingMore.faqTitle} aside={contact}>
      <Questions
        items={
          whole
            ? told
            : told.map((one, index) =>
                index === 0
                  ? { ...one, a: coins }
                  : index === 3
                    ? { ...one, a: landingMore.feesListed }
                    : one,
              )
        }
        className="rounded-lg border bg-card px-5 text-base"
      />
    </SplitSection>
  )
}

/**
 * specification §2: a toast and an empty form; no server call. The field is the browser's own: it may be filled before
 * scripts run.
 */
function Newsletter() {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    toast({ title: landingMore.newsletterThanks, description: landingMore.newsletterAdded })
    event.currentTarget.reset()
  }
  return (
    <SplitSection title={landingMore.newsletterTitle} aside={landingMore.newsletterText} tinted>
      <form onSubmit={submit} className="flex max-w-lg items-end gap-3">
        <div className="min-w-0 flex-1 space-y-1.5">
          <label htmlFor="newsletter" className="block text-sm font-medium">
            {landingMore.newsletterLabel}
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
          {landingMore.newsletterButton}
        </button>
      </form>
    </SplitSection>
  )
}

function FinalCall({ bonus }: { bonus: string }) {
  return (
    <section className="bg-primary text-primary-foreground">
      <div className="container-page flex flex-wrap items-center justify-between gap-6 py-8 md:py-12">
        <div>
          <div data-claim={bonus}>
            <h2 className="text-xl">{landingMore.finalTitle(bonus)}</h2>
            <p className="mt-1 text-base">{landingMore.finalText}</p>
          </div>
          <h2 className="text-xl not-in-[:has(>[data-claim=''])]:hidden">{landingMore.finalPlain}</h2>
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
