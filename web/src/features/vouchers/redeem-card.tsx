import { Link } from '@tanstack/react-router'
import { ArrowLeft, ShieldAlert } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef } from 'react'
import type { VoucherFound } from '@/api/types.gen'
import { Field } from '@/components/form/field'
import { Fold } from '@/components/form/fold'
import { Restored } from '@/components/form/restored'
import { isUnanswered, SendError } from '@/components/form/send-error'
import { Pair, Pairs } from '@/components/money/money'
import { Notice } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardLead, CardTitle } from '@/components/ui/card'
import { Input, Select } from '@/components/ui/input'
import { day } from '@/lib/format'
import { useConfig } from '@/lib/session'
import { networkNames } from '@/messages/common'
import { vouchers as texts } from '@/messages/vouchers'
import { checkAddress, sendingOf } from '../buy/address'
import { addressProblem } from '../buy/address-field'
import { whatItPays, worthOf } from './queries'
import { type Redeeming, useRedeem } from './use-redeem'

/** The card stands on the dashboard, which does not wait for its dialog. */
const LastLook = lazy(() => import('./last-look'))

/** A step replaces the one that had the focus: the focus moves to the first field of the new one. */
function useFirstField(step: string) {
  const card = useRef<HTMLDivElement>(null)
  const shown = useRef(step)
  useEffect(() => {
    if (shown.current === step) return
    shown.current = step
    card.current?.querySelector<HTMLElement>('input, select')?.focus({ preventScroll: true })
  }, [step])
  return card
}

/** specification §2's voucher redemption card. */
export function RedeemCard() {
  const redeeming = useRedeem()
  const card = useFirstField(redeeming.found ? 'verify' : 'input')
  return (
    <Card id="voucher-redemption" ref={card}>
      <CardTitle>{texts.redeemTitle}</CardTitle>
      <CardLead>{texts.redeemLead}</CardLead>
      <Fold of="voucher-redemption" label={texts.fold}>
        {redeeming.found ? (
          <Verify redeeming={redeeming} voucher={redeeming.found} />
        ) : (
          <Code redeeming={redeeming} />
        )}
      </Fold>
    </Card>
  )
}

function Code({ redeeming }: { redeeming: Redeeming }) {
  return (
    <form
      noValidate
      className="mt-5 grid gap-4 md:grid-cols-[20rem_minmax(0,1fr)]"
      onSubmit={(event) => {
        event.preventDefault()
        redeeming.check()
      }}
    >
      <Restored draft={redeeming.draft} className="md:col-span-2" />
      <Field
        id="voucher-code"
        label={texts.code}
        hint={redeeming.mistakes.code ? undefined : texts.codeHint}
        error={redeeming.mistakes.code}
      >
        {(props) => (
          <Input
            {...props}
            inputMode="numeric"
            autoComplete="off"
            spellCheck={false}
            placeholder={texts.codePlaceholder}
            className="font-mono"
            value={redeeming.code}
            onChange={(event) => redeeming.typeCode(event.target.value)}
          />
        )}
      </Field>
      {isUnanswered(redeeming.checkError) ? (
        <SendError
          error={redeeming.checkError}
          fallback={texts.failed}
          className="md:order-last md:col-span-2"
        />
      ) : null}
      <div className="flex flex-wrap items-center gap-3 self-start md:mt-7">
        <Button type="submit" className="w-full sm:w-auto" disabled={redeeming.pending}>
          {redeeming.pending ? texts.checking : texts.check}
        </Button>
        <Link to="/vouchers" className={buttonVariants({ variant: 'link', className: 'px-0' })}>
          {texts.mine}
        </Link>
      </div>
    </form>
  )
}

function Verify({ redeeming, voucher }: { redeeming: Redeeming; voucher: VoucherFound }) {
  return (
    <form
      noValidate
      className="mt-5 max-w-xl space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        redeeming.review()
      }}
    >
      {redeeming.asking ? (
        <Suspense>
          <LastLook redeeming={redeeming} voucher={voucher} />
        </Suspense>
      ) : null}
      <div className="rounded-md bg-muted p-4">
        <Pairs>
          <Pair name={texts.currency}>{voucher.currency}</Pair>
          {voucher.marginPercent === '0' ? null : (
            <Pair name={texts.margin}>{texts.marginText(voucher.marginPercent)}</Pair>
          )}
          <Pair name={texts.expires}>{day(voucher.expiresAt)}</Pair>
          <Pair name={texts.worth} strong>
            {worthOf(voucher)}
          </Pair>
        </Pairs>
      </div>
      {voucher.needsIdentity ? <NeedsIdentity /> : null}
      <CryptoType redeeming={redeeming} voucher={voucher} />
      <Wallet redeeming={redeeming} />
      <SendError money error={redeeming.redeemError} fallback={texts.failed} />
      <div className="flex flex-wrap gap-3">
        <Button
          type="submit"
          className="w-full sm:w-auto"
          disabled={redeeming.pending || voucher.needsIdentity}
        >
          {redeeming.pending ? texts.redeeming : texts.redeem}
        </Button>
        <Button
          variant="outline"
          className="w-full sm:w-auto"
          disabled={redeeming.pending}
          onClick={redeeming.back}
        >
          <ArrowLeft aria-hidden />
          {texts.back}
        </Button>
      </div>
    </form>
  )
}

function NeedsIdentity() {
  return (
    <Notice tone="pending" icon={ShieldAlert} role="status" title={texts.identityTitle}>
      {texts.identityText}{' '}
      <Link to="/kyc" className="font-medium underline underline-offset-4">
        {texts.verify}
      </Link>
    </Notice>
  )
}

function CryptoType({ redeeming, voucher }: { redeeming: Redeeming; voucher: VoucherFound }) {
  const chosen = voucher.options.find((option) => option.cryptoType === redeeming.cryptoType)
  return (
    <Field
      id="voucher-crypto"
      label={texts.cryptoType}
      hint={chosen ? whatItPays(voucher, chosen) : undefined}
      error={redeeming.mistakes.cryptoType}
    >
      {(props) => (
        <Select
          {...props}
          value={redeeming.cryptoType}
          onChange={(event) => redeeming.choose(event.target.value)}
        >
          <option value="">{texts.choose}</option>
          {voucher.options.map(({ cryptoType }) => (
            <option key={cryptoType} value={cryptoType}>
              {cryptoType}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}

/** The network is named before anything is confirmed; a wrong one loses the coin. */
function Wallet({ redeeming }: { redeeming: Redeeming }) {
  const { cryptoType, walletAddress, mistakes } = redeeming
  const sending = sendingOf(useConfig())
  const check =
    cryptoType && walletAddress.trim() ? checkAddress(cryptoType, walletAddress, sending) : undefined
  const incomplete = check && !check.ok && check.error === 'incomplete'
  const problem = check && !incomplete ? addressProblem(cryptoType, check) : undefined
  const hint = check?.ok ? texts.network(networkNames[check.network] ?? check.network) : texts.walletHint
  return (
    <Field id="voucher-wallet" label={texts.wallet} hint={hint} error={mistakes.walletAddress ?? problem}>
      {(props) => (
        <Input
          {...props}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          className="font-mono"
          value={walletAddress}
          onChange={(event) => redeeming.typeWallet(event.target.value)}
        />
      )}
    </Field>
  )
}
