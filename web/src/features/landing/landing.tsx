import { lazyRouteComponent } from '@tanstack/react-router'
import { ArrowRight, Sparkles } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { buttonVariants } from '@/components/ui/button-variants'
import { loginHref } from '@/lib/login'
import { useWhole } from '@/lib/offer'
import { useConfig } from '@/lib/session'
import { landing } from '@/messages/landing'

const Prices = lazy(() => import('./live-prices'))
const Calculator = lazyRouteComponent(() => import('../calculator/calculator'), 'Calculator')

/** In the first visit's page from the start; navigation from another page waits for it, for its anchors. */
export const Below = lazyRouteComponent(() => import('./below'), 'Below')
if (!import.meta.env.SSR) void Promise.allSettled([Below.preload?.(), Calculator.preload?.()])

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
      <Suspense>
        <Below />
      </Suspense>
    </>
  )
}

function Hero({ bonus }: { bonus: string }) {
  return (
    <section className="border-b bg-card">
      <div className="container-page grid items-center gap-x-12 gap-y-5 py-5 md:gap-y-6 md:py-14 lg:grid-cols-[1.15fr_1fr] lg:grid-rows-[1fr_auto_auto_1fr]">
        <div className="lg:row-start-2">
          <p
            data-claim={bonus}
            className="inline-flex items-center gap-2 rounded-full bg-primary-tint px-3 py-1 text-sm font-medium text-primary"
          >
            <Sparkles aria-hidden className="size-4" />
            {landing.bonusBadge(bonus)}
          </p>
          <h1 tabIndex={-1} className="mt-3 text-2xl md:mt-5 md:text-hero">
            {landing.title}
          </h1>
          <p className="mt-2 max-w-prose text-sm text-muted-foreground md:mt-4 md:text-base">
            {useWhole() ? landing.lead : landing.leadPlain}
          </p>
        </div>
        <div className="min-h-105 min-w-0 lg:col-start-2 lg:row-span-4 lg:row-start-1">
          <Suspense>
            <Calculator />
          </Suspense>
        </div>
        <div className="lg:row-start-3">
          <div className="flex flex-wrap gap-3">
            <a href={loginHref({ signUp: true })} className={buttonVariants({ size: 'lg' })}>
              {landing.getStarted}
              <ArrowRight aria-hidden />
            </a>
            <a href="#features" className={buttonVariants({ variant: 'outline', size: 'lg' })}>
              {landing.learnMore}
            </a>
          </div>
          <p data-claim={bonus} className="mt-4 max-w-prose text-sm text-muted-foreground">
            {landing.bonusTerms(bonus)}
          </p>
        </div>
      </div>
    </section>
  )
}
