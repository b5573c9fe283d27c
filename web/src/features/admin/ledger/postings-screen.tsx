import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { BookedPosting } from '@/api/types.gen'
import { Stat } from '@/components/money/money'
import { Failed } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { Cell, ColumnHead, HeadRow, Row, Table, TableBody } from '@/components/ui/table'
import { textLink } from '@/components/ui/text-link'
import { figure, MISSING, titled } from '@/lib/format'
import { oneOf } from '@/lib/search'
import { adminLedger, books, adminPostings as texts } from '@/messages/admin-books'
import { currencies, fileHref, isNarrowed } from '../shared/book'
import { BookScreen, Period } from '../shared/book-frame'
import { calendarDay } from '../shared/calendar-day'
import { Choice } from '../shared/choice'
import { ObjectLink } from '../shared/object-link'
import type { PostingFilter } from './filters'
import { accountQuery, ledgerWordsQuery, postingsQuery } from './queries'

interface PostingsProps {
  filter: PostingFilter
  onFilter: (filter: PostingFilter, replace: boolean) => void
}

/** The ledger's postings: all, or an account's with what it held before and after. */
export function PostingsScreen({ filter, onFilter }: PostingsProps) {
  const list = useInfiniteQuery(postingsQuery(filter))
  const title = filter.account ? (adminLedger.accounts[filter.account] ?? filter.account) : texts.title
  return (
    <BookScreen
      title={<span className="wrap-anywhere">{title}</span>}
      list={list}
      actions={
        <Link to="/admin/ledger" className={buttonVariants({ variant: 'outline', size: 'sm' })}>
          <ArrowLeft aria-hidden />
          {texts.back}
        </Link>
      }
      file={fileHref('ledger/postings', filter)}
      search={{
        name: 'object',
        id: 'postings-object',
        label: texts.object,
        placeholder: texts.objectPlaceholder,
        value: filter.object,
        onChange: (object) => onFilter({ ...filter, object }, true),
      }}
      filters={<Filters filter={filter} onFilter={onFilter} />}
      figures={filter.account ? <Account filter={filter} /> : null}
      failed={texts.fetchFailed}
      none={texts.none}
      narrowed={isNarrowed(filter)}
      onClear={() => onFilter({}, false)}
      table={(rows) => <Postings rows={rows} />}
    />
  )
}

function Filters({ filter, onFilter }: PostingsProps) {
  const words = useQuery(ledgerWordsQuery)
  const set = (part: PostingFilter) => onFilter({ ...filter, ...part }, false)
  return (
    <>
      <Choice
        id="postings-account"
        label={texts.account}
        value={filter.account}
        choices={Object.keys(adminLedger.accounts).filter((account) => !account.startsWith('customers:'))}
        labels={adminLedger.accounts}
        onChoose={(account) => set({ account })}
      />
      <Choice
        id="postings-currency"
        label={texts.currency}
        value={filter.currency}
        choices={currencies}
        onChoose={(currency) => set({ currency })}
      />
      <Choice
        id="postings-event"
        label={texts.event}
        value={filter.event}
        choices={words.data?.events ?? []}
        labels={Object.fromEntries((words.data?.events ?? []).map((event) => [event, titled(event)]))}
        onChoose={(event) => set({ event })}
      />
      <Period id="postings" filter={filter} onChange={set} />
    </>
  )
}

/** What the account held before the period and after it, in the chosen currency, or in dollars. */
function Account({ filter }: { filter: PostingFilter }) {
  const account = useQuery(accountQuery(filter))
  if (account.error)
    return (
      <Failed
        className="mb-4"
        title={texts.accountFailed}
        error={account.error}
        retry={() => void account.refetch()}
      />
    )
  const currency = account.data?.currency ?? ''
  return (
    <>
      <dl className="mb-5 grid gap-3 sm:grid-cols-3">
        <Stat name={texts.kind}>{account.data ? adminLedger.kinds[account.data.kind] : MISSING}</Stat>
        <Stat name={texts.opening} hint={account.data?.from ? <Time at={account.data.from} long /> : MISSING}>
          {sided(account.data?.opening)} {currency}
        </Stat>
        <Stat name={texts.closing} hint={<Time at={account.data?.to} long />}>
          {sided(account.data?.closing)} {currency}
        </Stat>
      </dl>
      {account.data?.customerId ? (
        <p className="mb-4 text-sm">
          <ObjectLink kind="user" id={account.data.customerId}>
            {books.customer}
          </ObjectLink>
        </p>
      ) : null}
    </>
  )
}

/** A balance as the trial balance shows it: without a sign, and on which side it is. */
export function sided(balance: string | undefined): string {
  if (!balance?.startsWith('-'))
    return Number(balance) ? `${figure(balance)} ${texts.debit}` : figure(balance)
  return `${figure(balance.slice(1))} ${texts.credit}`
}

function Postings({ rows }: { rows: readonly BookedPosting[] }) {
  const { columns } = texts
  const banked = rows.some(({ bankReference }) => bankReference)
  return (
    <Table caption={texts.title}>
      <HeadRow>
        <ColumnHead>{columns.at}</ColumnHead>
        <ColumnHead>{columns.event}</ColumnHead>
        <ColumnHead>{columns.debit}</ColumnHead>
        <ColumnHead>{columns.credit}</ColumnHead>
        <ColumnHead numeric>{columns.amount}</ColumnHead>
        {banked ? <ColumnHead>{columns.bank}</ColumnHead> : null}
        <ColumnHead>{columns.about}</ColumnHead>
      </HeadRow>
      <TableBody>
        {rows.map((row) => (
          <Row key={row.id} keyed={row.id}>
            <Cell label={columns.at}>
              <Time at={row.at} />
            </Cell>
            <Cell label={columns.event}>{titled(row.event)}</Cell>
            <Cell label={columns.debit}>
              <AccountLink account={row.to} currency={row.currency} />
            </Cell>
            <Cell label={columns.credit}>
              <AccountLink account={row.from} currency={row.currency} />
            </Cell>
            <Cell label={columns.amount} numeric>
              {figure(row.amount)} {row.currency}
            </Cell>
            {banked ? (
              <Cell label={columns.bank}>
                {row.bankReference ? (
                  <span className="wrap-anywhere">
                    {row.bankReference}
                    {row.valueDate ? ` · ${calendarDay(row.valueDate)}` : ''}
                  </span>
                ) : (
                  MISSING
                )}
              </Cell>
            ) : null}
            <Cell label={columns.about}>
              {row.objectId ? (
                <ObjectLink kind={row.objectKind} id={row.objectId} opens>
                  {texts.objects[row.objectKind ?? ''] ?? row.objectKind}
                  <span className="sr-only"> {row.objectId}</span>
                </ObjectLink>
              ) : (
                MISSING
              )}
            </Cell>
          </Row>
        ))}
      </TableBody>
    </Table>
  )
}

/** One account of a posting; a customer's is called by what it is. */
function AccountLink({ account, currency }: { account: string; currency: string }) {
  const [who, , kind] = account.split(':')
  const name = who === 'customer' ? `${books.customer}: ${kind}` : (adminLedger.accounts[account] ?? account)
  return (
    <Link
      to="/admin/ledger/postings"
      search={{ account, currency: oneOf(currencies, currency) }}
      className={textLink}
    >
      {name}
    </Link>
  )
}
