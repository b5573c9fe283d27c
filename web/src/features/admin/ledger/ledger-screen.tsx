import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Scale } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { LedgerBalance, LedgerStatement } from '@/api/types.gen'
import { Field } from '@/components/form/field'
import { PageHead } from '@/components/layout/page'
import { Failed, LoadingRows, NothingYet } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Input } from '@/components/ui/input'
import { Cell, ColumnHead, HeadRow, Row, Table, TableBody } from '@/components/ui/table'
import { textLink } from '@/components/ui/text-link'
import { figure } from '@/lib/format'
import { adminLedger as texts } from '@/messages/admin-books'
import { adminMoney } from '@/messages/admin-money'
import { currencies, fileHref } from '../shared/book'
import { ExportLink } from '../shared/book-frame'
import { KeyedRows } from '../shared/list-frame'
import type { LedgerMoment } from './filters'
import { ledgerQuery } from './queries'

interface LedgerProps {
  moment: LedgerMoment
  onMoment: (moment: LedgerMoment) => void
}

/** The trial balance at any moment, and the way to each account. */
export function LedgerScreen({ moment, onMoment }: LedgerProps) {
  const books = useQuery(ledgerQuery(moment))
  return (
    <>
      <PageHead
        title={texts.title}
        lead={texts.lead}
        actions={
          <>
            <Link to="/admin/ledger/postings" className={buttonVariants({ variant: 'outline', size: 'sm' })}>
              {texts.postings}
            </Link>
            <Link to="/admin/ledger/journal" className={buttonVariants({ variant: 'outline', size: 'sm' })}>
              {adminMoney.journal.link}
            </Link>
            <ExportLink href={fileHref('ledger', moment)} />
          </>
        }
      />
      <Moment moment={moment} onMoment={onMoment} />
      {books.error ? (
        <Failed
          className="mb-4"
          title={texts.fetchFailed}
          error={books.error}
          retry={() => void books.refetch()}
        />
      ) : null}
      {books.isPending ? <LoadingRows rows={4} /> : null}
      {books.data ? <Statement books={books.data} /> : null}
    </>
  )
}

/** A moment as the input for it reads: local time, to the second. */
function localText(at: string | undefined): string {
  if (!at) return ''
  const date = new Date(at)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

function Moment({ moment, onMoment }: LedgerProps) {
  const [typed, setTyped] = useState(localText(moment.at))
  useEffect(() => setTyped(localText(moment.at)), [moment.at])
  return (
    <div className="mb-5 flex flex-wrap items-start gap-3">
      <Field id="ledger-at" label={texts.moment} hint={texts.momentHint}>
        {(field) => (
          <Input
            {...field}
            type="datetime-local"
            step={1}
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value)
              const at = new Date(event.target.value)
              if (event.target.value === '') onMoment({})
              else if (!Number.isNaN(at.getTime())) onMoment({ at: at.toISOString() })
            }}
          />
        )}
      </Field>
      <Button variant="outline" className="mt-6.5" disabled={!moment.at} onClick={() => onMoment({})}>
        {texts.now}
      </Button>
    </div>
  )
}

const idOf = ({ account, currency }: LedgerBalance) => `${account} ${currency}`

function Statement({ books }: { books: LedgerStatement }) {
  return (
    <>
      <p className="mb-4 flex flex-wrap items-center gap-3 text-sm">
        <StatusBadge
          look={
            books.balanced
              ? { label: texts.balanced, tone: 'success' }
              : { label: texts.unbalanced, tone: 'danger' }
          }
        />
        <span className="text-muted-foreground">
          {texts.asOf} <Time at={books.at} long />
        </span>
      </p>
      {books.balanced ? null : (
        <p role="alert" className="mb-4 rounded-lg bg-danger-tint p-4 text-sm text-danger-text">
          {texts.unbalancedText}
        </p>
      )}
      {books.sums.length === 0 ? <NothingYet icon={Scale} title={texts.empty} /> : null}
      <KeyedRows rows={books.balances.map((balance) => ({ id: idOf(balance) }))}>
        {currencies.map((currency) => (
          <Currency key={currency} currency={currency} books={books} />
        ))}
      </KeyedRows>
    </>
  )
}

function Currency({ currency, books }: { currency: string; books: LedgerStatement }) {
  const sum = books.sums.find((one) => one.currency === currency)
  if (!sum) return null
  const even = /^-?0(\.0+)?$/.test(sum.sum)
  const { columns } = texts
  return (
    <section aria-label={currency} className="mb-6 rounded-lg border bg-card p-4 md:p-5">
      <h2 className="mb-3 text-base font-semibold">{currency}</h2>
      <Table caption={`${texts.title} ${currency}`} needs="little">
        <HeadRow>
          <ColumnHead>{columns.account}</ColumnHead>
          <ColumnHead>{columns.kind}</ColumnHead>
          <ColumnHead numeric>{columns.debit}</ColumnHead>
          <ColumnHead numeric>{columns.credit}</ColumnHead>
        </HeadRow>
        <TableBody>
          {books.balances
            .filter((balance) => balance.currency === currency)
            .map((balance) => (
              <AccountRow key={balance.account} balance={balance} />
            ))}
          <Row>
            <Cell label={columns.account}>
              <strong>{texts.sum}</strong>
            </Cell>
            <Cell label={columns.difference} className={even ? 'stacked:hidden' : ''}>
              {even ? '' : <strong className="tabular-nums">{texts.difference(figure(sum.sum))}</strong>}
            </Cell>
            <Cell label={columns.debit} numeric>
              <strong>{figure(sum.debit)}</strong>
            </Cell>
            <Cell label={columns.credit} numeric>
              <strong>{figure(sum.credit)}</strong>
            </Cell>
          </Row>
        </TableBody>
      </Table>
    </section>
  )
}

function AccountRow({ balance }: { balance: LedgerBalance }) {
  const { columns } = texts
  const negative = balance.balance.startsWith('-')
  const amount = figure(negative ? balance.balance.slice(1) : balance.balance)
  return (
    <Row keyed={idOf(balance)}>
      <Cell label={columns.account}>
        <AccountLink account={balance.account} currency={balance.currency} />
        {balance.wrong ? (
          <StatusBadge className="ml-2" look={{ label: texts.wrongSide, tone: 'danger' }} />
        ) : null}
      </Cell>
      <Cell label={columns.kind}>{texts.kinds[balance.kind]}</Cell>
      <Cell label={columns.debit} numeric className={negative ? 'stacked:hidden' : ''}>
        {negative ? '' : amount}
      </Cell>
      <Cell label={columns.credit} numeric className={negative ? '' : 'stacked:hidden'}>
        {negative ? amount : ''}
      </Cell>
    </Row>
  )
}

/** An account's name, with the way to its postings; those of all customers are found by customer. */
function AccountLink({ account, currency }: { account: string; currency: string }) {
  const name = texts.accounts[account] ?? account
  const known = currencies.find((one) => one === currency)
  return account.startsWith('customers:') ? (
    <Link to="/admin/customers" className={textLink}>
      {name}
    </Link>
  ) : (
    <Link to="/admin/ledger/postings" search={{ account, currency: known }} className={textLink}>
      {name}
    </Link>
  )
}
