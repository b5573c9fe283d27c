import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { BadgePercent, ShieldAlert, ShieldCheck, TriangleAlert, Zap } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Pricing } from '@/api/types.gen'
import { Tiles } from '@/components/form/tiles'
import { Page } from '@/components/layout/page'
import { Coin } from '@/components/money/coin'
import { Notice } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { useDraft } from '@/lib/draft'
import { usd } from '@/lib/format'
import { failureOf, fieldMessage } from '@/lib/http'
import { fiatFor, isPositive } from '@/lib/money'
import { useCoins, useOffered } from '@/lib/offer'
import { isVerified, type User, useConfig, useSignedInUser } from '@/lib/session'
import { leaveToasts, toast } from '@/lib/toast'
import { buy } from '@/messages/buy'
import { assetNames } from '@/messages/common'
import { kycQuery } from '../kyc/queries'
import { isFinal } from '../kyc/texts'
import { ratesQuery } from '../pricing/queries'
import { checkAddress, defaultNetwork, sendingOf } from './address'
import { AddressField } from './address-field'
import { balancePassed, limitPassed } from './bounds'
import { ConfirmDialog } from './confirm-dialog'
import { asBuyDraft, BUY, type BuyDraft, changed, emptyDraft } from './draft'
import { LimitsList } from './limits'
import { buyMethods, MethodTiles, useWays } from './method-tiles'
import { PurchaseAmount } from './purchase-amount'
import { limitsQuery } from './queries'
import { Summary } from './summary'
import { useDollars } from './use-dollars'
import { usePurchase } from './use-purchase'
import { type Quote, useQuote } from './use-quote'
import { buttonLabel, type Mistakes, mistakesOf } from './validation'

/** 'wanted': the button was pressed, and the price for the last input is still loading. */
type Step = 'form' | 'wanted' | 'confirm'

/** Who cannot be verified has nothing to fill in. */
export function BuyScreen() {
  const user = useSignedInUser()
  const refused = useRefusedIdentity(user)
  return (
    <Page title={buy.title} lead={refused ? undefined : buy.lead}>
      <KycBanner user={user} refused={refused} />
      {refused ? null : <Purchase user={user} />}
    </Page>
  )
}

function Purchase({ user }: { user: User }) {
  const navigate = useNavigate()
  const sending = sendingOf(useConfig())
  const { values: entered, setValues: setDraft } = useDraft({
    form: BUY,
    empty: emptyDraft,
    read: asBuyDraft,
  })
  const coins = useCoins()
  const ways: readonly string[] = buyMethods.filter(useOffered('rails'))
  const draft = {
    ...entered,
    asset: coins.includes(entered.asset) ? entered.asset : (coins[0] ?? entered.asset),
    method: entered.method === '' || ways.includes(entered.method) ? entered.method : (ways[0] ?? ''),
  }
  const [mistakes, setMistakes] = useState<Mistakes>({})
  const [left, setLeft] = useState(false)
  const [step, setStep] = useState<Step>('form')
  const purchase = usePurchase()
  const quote = useQuote(
    { asset: draft.asset, amountAsset: draft.amount, paymentMethod: draft.method },
    step === 'confirm',
  )
  useOpenWithPrice(step, setStep, quote)
  useDollars(draft, setDraft, { frozen: step !== 'form', error: quote.error })

  const change = (part: Partial<BuyDraft>) => {
    setDraft((before) => changed(before, part))
    setMistakes({})
    purchase.reset()
  }
  const review = () => {
    const found = mistakesOf(draft, user, sending)
    setMistakes(found)
    if (!found.toast && over) return document.getElementById('amount')?.focus()
    leaveToasts() // of what was wrong before
    if (!found.toast) return setStep('wanted')
    // What is missing is done elsewhere: the input is kept as a draft, and the toast goes along.
    if (found.at === 'kyc-link' && user.kycStatus !== 'pending') {
      toast(found.toast)
      return void navigate({ to: '/kyc' })
    }
    toast({ ...found.toast, variant: 'destructive' })
    document.getElementById(found.at ?? '')?.focus()
  }
  const { data: limits } = useQuery(limitsQuery)
  const paused = new Map(limits?.assets.map((one) => [one.asset, one.paused]))
  const check = checkAddress(draft.asset, draft.address, sending)
  const network = check.ok ? check.network : defaultNetwork(draft.asset, sending)
  const { data: rates } = useQuery(ratesQuery)
  const rate = rates?.[draft.asset] ?? ''
  const base = isPositive(rate) && isPositive(draft.amount) ? fiatFor(draft.amount, rate) : undefined
  const overLimit = limitPassed(limits, quote.price?.total ?? base)
  const over =
    overLimit ?? (draft.method === 'balance' ? balancePassed(user, quote.price?.total ?? base) : undefined)
  const amountError = mistakes.amount ?? over ?? fieldMessage(quote.error, 'amountAsset')
  // Dollars without a price are no amount of coin, and the customer's entry is not at fault.
  const unpriced = isPositive(draft.fiat ?? '') && !isPositive(rate)
  const label = buttonLabel(draft, user, sending)
  const none = useWays(user.accountBalance).codes.length === 0
  const disabled = purchase.isPending || unpriced || none || (draft.fiat ?? draft.amount).trim() === ''

  return (
    <>
      <RefusedNotice />
      <form
        noValidate
        className="grid items-start gap-6 pb-24 lg:grid-cols-[minmax(0,1fr)_24rem] lg:pb-0"
        onSubmit={(event) => {
          event.preventDefault()
          if (!disabled) review()
        }}
      >
        <div className="min-w-0 space-y-6">
          <Card>
            <Tiles
              name="asset"
              legend={buy.stepAsset}
              value={draft.asset}
              onChange={(asset) => change({ asset })}
              className="grid-cols-2 md:grid-cols-4"
              tiles={coins.map((asset) => ({
                value: asset,
                title: asset,
                text: paused.get(asset) ?? assetNames[asset],
                disabled: Boolean(paused.get(asset)),
                leading: <Coin asset={asset} />,
              }))}
            />
            <PurchaseAmount draft={draft} error={amountError} onChange={change} />
          </Card>
          <Card>
            <MethodTiles
              balance={user.accountBalance}
              value={draft.method}
              error={mistakes.method}
              onChange={(method) => change({ method })}
            />
          </Card>
          <Card>
            <h2 className="mb-3 text-base font-semibold">{buy.stepAddress}</h2>
            <AddressField
              asset={draft.asset}
              amount={draft.amount}
              value={draft.address}
              error={mistakes.address ?? fieldMessage(purchase.error, 'destAddress')}
              touched={left}
              onBlur={() => setLeft(true)}
              onChange={(address) => {
                setLeft(false)
                change({ address })
              }}
            />
          </Card>
          <Reassurance className="hidden lg:grid" />
        </div>
        <aside className="space-y-6 lg:sticky lg:top-24">
          <Card>
            <CardTitle className="mb-4">{buy.summary}</CardTitle>
            <Summary
              asset={draft.asset}
              amount={draft.amount}
              method={draft.method}
              quote={quote}
              held={!over}
              unpriced={unpriced}
            />
            <EstimateNote draft={draft} price={quote.price} />
            <Button type="submit" size="lg" className="mt-5 hidden w-full lg:inline-flex" disabled={disabled}>
              {label}
            </Button>
          </Card>
          <Card>
            <CardTitle className="mb-4 text-base">{buy.limitsTitle}</CardTitle>
            <LimitsList />
          </Card>
          <Reassurance className="lg:hidden" />
        </aside>
        <div className="fixed inset-x-0 bottom-0 z-30 flex items-center gap-4 border-t bg-card p-3 lg:hidden">
          {draft.amount.trim() ? (
            <p className="min-w-0 flex-1">
              <span className="block text-xs text-muted-foreground">{buy.rows.total}</span>
              <span className="block text-base font-semibold wrap-anywhere tabular-nums">
                {usd(quote.price?.total)}
              </span>
            </p>
          ) : (
            <p className="min-w-0 flex-1 text-sm text-muted-foreground">{buy.enterAmount}</p>
          )}
          <Button type="submit" size="lg" disabled={disabled}>
            {label}
          </Button>
        </div>
      </form>
      {step === 'confirm' ? (
        <ConfirmDialog
          asset={draft.asset}
          amount={draft.amount.trim()}
          method={draft.method}
          address={draft.address.trim()}
          network={network}
          quote={quote}
          sent={purchase}
          onClose={() => setStep('form')}
          onConfirm={(price) =>
            purchase.mutate({
              asset: draft.asset,
              amountAsset: draft.amount.trim(),
              paymentMethod: draft.method,
              destAddress: draft.address.trim(),
              network,
              price,
            })
          }
        />
      ) : null}
    </>
  )
}

/** The confirmation opens with a price; without one the reason is shown. */
function useOpenWithPrice(step: Step, setStep: (step: Step) => void, quote: Quote): void {
  const { price, error, loading } = quote
  useEffect(() => {
    if (step !== 'wanted') return
    if (price) setStep('confirm')
    else if (fieldMessage(error, 'amountAsset')) {
      setStep('form')
      document.getElementById('amount')?.focus()
    } else if (error) {
      setStep('form')
      toast({
        title: buy.calculateFailed,
        description: failureOf(error),
        variant: 'destructive',
      })
    } else if (!loading) setStep('form')
  }, [step, setStep, price, error, loading])
}

function EstimateNote({ draft, price }: { draft: BuyDraft; price: Pricing | undefined }) {
  if (!draft.estimate || !price || draft.estimate === price.total) return null
  return (
    <p className="mt-3 rounded-md bg-info-tint p-3 text-sm text-info-text">
      {buy.priceDiffers(usd(draft.estimate), usd(price.total))}
    </p>
  )
}

/** The identity was refused, and cannot be tried again. */
function useRefusedIdentity({ kycStatus }: User): boolean {
  const { data: status } = useQuery({ ...kycQuery('dashboard'), enabled: kycStatus === 'rejected' })
  return kycStatus === 'rejected' && status !== undefined && isFinal(status)
}

function KycBanner({ user, refused }: { user: User; refused: boolean }) {
  if (isVerified(user)) return null
  const reviewed = user.kycStatus === 'pending'
  if (refused) {
    return (
      <Notice tone="danger" icon={ShieldAlert} title={buy.refusedTitle} className="mb-6">
        {buy.kycFinalText}{' '}
        <Link id="kyc-link" to="/support" className="font-semibold underline underline-offset-4">
          {buy.kycFinalLink}
        </Link>
      </Notice>
    )
  }
  return (
    <Notice
      tone="pending"
      icon={ShieldAlert}
      title={reviewed ? buy.kycPendingTitle : buy.kycTitle}
      className="mb-6"
    >
      {reviewed ? buy.kycPendingText : `${buy.kycText}.`}{' '}
      <Link id="kyc-link" to="/kyc" className="font-semibold underline underline-offset-4">
        {reviewed ? buy.kycPendingLink : buy.kycLink}
      </Link>
    </Notice>
  )
}

/** Nothing can be bought for now: the server's own message. */
function RefusedNotice() {
  const { data: limits } = useQuery(limitsQuery)
  if (!limits?.refused) return null
  return <Notice tone="pending" icon={TriangleAlert} role="status" title={limits.refused} className="mb-6" />
}

const noteIcons = [ShieldCheck, Zap, BadgePercent]

function Reassurance({ className = '' }: { className?: string }) {
  return (
    <ul className={`grid gap-4 md:grid-cols-3 ${className}`}>
      {buy.notes.map((note, index) => {
        const Icon = noteIcons[index] ?? TriangleAlert
        return (
          <li key={note.title} className="flex gap-3 text-sm">
            <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-primary" />
            <span>
              <span className="block font-medium">{note.title}</span>
              <span className="text-muted-foreground">{note.text}</span>
            </span>
          </li>
        )
      })}
    </ul>
  )
}
