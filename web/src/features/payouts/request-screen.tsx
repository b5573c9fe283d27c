import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft, CircleAlert, IdCard, Lock, Wallet } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Balance } from '@/api/types.gen'
import { AmountField } from '@/components/form/amount-field'
import { ConfirmDialog } from '@/components/form/confirm-dialog'
import { Field } from '@/components/form/field'
import { Restored } from '@/components/form/restored'
import { outcomeOf } from '@/components/form/send-error'
import { Tiles } from '@/components/form/tiles'
import { Page } from '@/components/layout/page'
import { Pair, Pairs, Usd } from '@/components/money/money'
import { Failed, LoadingRows, Notice } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardTitle } from '@/components/ui/card'
import { Input } from '@/components/ui/input'
import { usd } from '@/lib/format'
import { compare, isPositive, remainder } from '@/lib/money'
import { useSignedInUser } from '@/lib/session'
import { payouts as texts } from '@/messages/payouts'
import { balanceQuery } from '../balance/queries'
import { HoldNotice } from '../orders/hold-notice'
import { type PayoutField, type PayoutForm, wanted } from './form'
import { type Request, useRequest } from './use-request'

/** Requests a payout of a part of the balance to a bank account. */
export function RequestScreen() {
  const query = useInfiniteQuery(balanceQuery)
  const now = query.data?.pages[0]
  return (
    <Page
      title={texts.ask}
      lead={texts.lead}
      actions={
        <Link to="/balance" className={buttonVariants({ variant: 'outline' })}>
          <ArrowLeft aria-hidden />
          {texts.back}
        </Link>
      }
    >
      {!now && query.error ? (
        <Failed title={texts.fetchFailed} error={query.error} retry={() => void query.refetch()} />
      ) : null}
      {query.isPending ? <LoadingRows rows={2} /> : null}
      {now ? (
        <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
          <div className="min-w-0">
            <Way balance={now} />
          </div>
          <NextSteps />
        </div>
      ) : null}
    </Page>
  )
}

/** The steps of a payout and its cost, also for customers who cannot request one yet. */
function NextSteps() {
  return (
    <Card>
      <CardTitle className="mb-3">{texts.steps}</CardTitle>
      <ol className="list-decimal space-y-2 pl-5 text-sm text-muted-foreground">
        {texts.stepList.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <Pairs className="mt-4 border-t pt-4">
        <Pair name={texts.fee}>{texts.noFee}</Pair>
      </Pairs>
    </Card>
  )
}

type Holdings = Pick<Balance, 'balance' | 'receivable' | 'minPayout'>

/** The form, or what has to happen before there is a use for one. */
function Way({ balance }: { balance: Holdings }) {
  const { kycStatus, hold } = useSignedInUser()
  if (hold === 'frozen') return <HoldNotice of="account" />
  if (kycStatus !== 'verified')
    return (
      <Notice tone="pending" icon={IdCard} title={texts.unverifiedTitle}>
        <p>{texts.unverifiedText}</p>
        <Link to="/kyc" className={buttonVariants({ className: 'mt-3' })}>
          {texts.verify}
        </Link>
      </Notice>
    )
  if (isPositive(balance.receivable))
    return (
      <Notice tone="danger" icon={CircleAlert} title={texts.owesTitle}>
        {texts.owesText(usd(balance.receivable))}
      </Notice>
    )
  if (compare(balance.balance, balance.minPayout) < 0)
    return (
      <Notice tone="info" icon={Wallet} title={texts.littleTitle}>
        {texts.littleText(usd(balance.minPayout), usd(balance.balance))}
      </Notice>
    )
  return <Form available={balance.balance} least={balance.minPayout} />
}

function Form({ available, least }: { available: string; least: string }) {
  const request = useRequest(available, least)
  const { form, change } = request
  return (
    <>
      <Card>
        <form
          noValidate
          className="space-y-6"
          onSubmit={(event) => {
            event.preventDefault()
            const [first] = Object.keys(request.review())
            if (first) document.getElementById(`payout-${first}`)?.focus()
          }}
        >
          <Restored draft={request.draft} />
          <div className="space-y-2">
            <AmountField
              id="payout-amount"
              label={texts.amount}
              hint={texts.available(usd(available))}
              error={request.mistakes.amount}
              unit="USD"
              decimals={2}
              positive
              placeholder="0.00"
              value={form.amount}
              onChange={(amount) => change({ amount })}
            />
            <Button variant="link" className="h-auto px-0" onClick={() => change({ amount: available })}>
              {texts.all}
            </Button>
          </div>
          <Tiles
            name="account-kind"
            legend={texts.kind}
            className="sm:grid-cols-2"
            value={form.accountKind}
            onChange={(accountKind) => change({ accountKind })}
            tiles={(['us', 'iban'] as const).map((kind) => ({
              value: kind,
              title: texts.kinds[kind],
              text: texts.kindHints[kind],
            }))}
          />
          <div className="grid gap-4 sm:grid-cols-2">
            <div className="sm:col-span-2">
              <Text request={request} field="accountHolder" label={texts.holder} hint={texts.holderHint} />
            </div>
            {form.accountKind === 'us' ? (
              <>
                <Text
                  request={request}
                  field="routingNumber"
                  label={texts.routing}
                  hint={texts.routingHint}
                  inputMode="numeric"
                />
                <Text request={request} field="accountNumber" label={texts.account} inputMode="numeric" />
              </>
            ) : (
              <div className="sm:col-span-2">
                <Text request={request} field="iban" label={texts.iban} hint={texts.ibanHint} />
              </div>
            )}
          </div>
          <Button type="submit" className="w-full sm:w-auto">
            {texts.review}
          </Button>
          <p className="flex gap-2 text-sm text-muted-foreground">
            <Lock aria-hidden className="mt-0.5 size-4 shrink-0" />
            {texts.safety}
          </p>
        </form>
      </Card>
      {request.reviewing ? <Review request={request} available={available} /> : null}
      {request.codeDialog}
    </>
  )
}

interface TextProps {
  request: Request
  field: Exclude<PayoutField, 'amount'>
  label: string
  hint?: ReactNode
  inputMode?: 'numeric'
}

function Text({ request, field, label, hint, ...input }: TextProps) {
  return (
    <Field id={`payout-${field}`} label={label} error={request.mistakes[field]} hint={hint}>
      {(props) => (
        <Input
          {...props}
          {...input}
          autoComplete="off"
          autoCapitalize={field === 'accountHolder' ? 'words' : 'off'}
          spellCheck={false}
          value={request.form[field]}
          onChange={(event) => request.change({ [field]: event.target.value })}
        />
      )}
    </Field>
  )
}

/** The amount and the whole account again, in groups that can be compared. */
function Review({ request, available }: { request: Request; available: string }) {
  const { form, error } = request
  const { amount } = form
  return (
    <ConfirmDialog
      title={texts.confirmTitle(usd(amount))}
      text={texts.confirmText}
      confirm={texts.confirm(usd(amount))}
      working={texts.asking}
      keep={texts.change}
      pending={request.pending}
      error={error ? outcomeOf(error, texts.failed, texts.failedText) : undefined}
      onConfirm={request.send}
      onClose={request.goBack}
    >
      <Pairs>
        <Account form={form} />
        <Pair name={texts.fee}>{texts.noFee}</Pair>
        <Pair name={texts.left}>
          <Usd amount={remainder(available, amount)} />
        </Pair>
        <Pair name={texts.amountPaid} strong>
          <Usd amount={amount} />
        </Pair>
      </Pairs>
    </ConfirmDialog>
  )
}

function Account({ form }: { form: PayoutForm }) {
  const { accountHolder, routingNumber, accountNumber, iban } = wanted(form)
  const numbers = [
    [texts.routing, routingNumber, 3],
    [texts.account, accountNumber, 4],
    [texts.iban, iban, 4],
  ] as const
  return (
    <>
      <Pair name={texts.holder}>
        <span className="wrap-anywhere">{accountHolder}</span>
      </Pair>
      {numbers.map(([name, number, size]) =>
        number ? (
          <Pair key={name} name={name}>
            <span className="font-mono text-dense">{inGroups(number, size)}</span>
          </Pair>
        ) : null,
      )}
    </>
  )
}

/** "990011226789" in fours: "9900 1122 6789". */
function inGroups(number: string, size: number): string {
  return number.replace(new RegExp(`(.{${size}})(?=.)`, 'g'), '$1 ')
}
