import type { TreasuryAccount } from '@/api/types.gen'
import { StatusBadge } from '@/components/status/badge'
import type { Tone } from '@/components/status/status'
import { Cell, ColumnHead, HeadRow, Row, Table, TableBody } from '@/components/ui/table'
import { useNow } from '@/lib/clock'
import { ago, crypto, MISSING, timeLeft, usd, utcTime } from '@/lib/format'
import { adminLedger } from '@/messages/admin-books'
import { adminTreasury as texts } from '@/messages/admin-treasury'
import { Fold } from '../shared/fold'
import { amountOf } from './queries'

const tones: Record<TreasuryAccount['state'], Tone> = {
  unread: 'neutral',
  agrees: 'success',
  under_way: 'progress',
  differs: 'danger',
}

const holders = ['stripe', 'kraken', 'bitgo'] as const

/** What each provider says it holds, what the books expected at that moment, and how old that is. */
export function TreasuryAccounts({
  accounts,
  every,
}: {
  accounts: readonly TreasuryAccount[]
  every: number
}) {
  const unread = accounts.every(({ readAt }) => readAt === null)
  return (
    <section aria-labelledby="treasury-accounts">
      <Fold id="treasury-accounts" title={texts.accounts}>
        <p className="mt-1 mb-4 max-w-prose text-sm text-muted-foreground">
          {unread ? texts.unread : texts.accountsLead(timeLeft(every * 1000))}
        </p>
        <div className="space-y-4">
          {holders.map((holder) => (
            <Holder key={holder} holder={holder} accounts={accounts.filter((one) => one.holder === holder)} />
          ))}
        </div>
      </Fold>
    </section>
  )
}

interface HolderProps {
  holder: TreasuryAccount['holder']
  accounts: readonly TreasuryAccount[]
}

function Holder({ holder, accounts }: HolderProps) {
  const { columns } = texts
  return (
    <div className="rounded-lg border bg-card p-4 md:p-5">
      <h3 className="mb-2 text-base font-semibold">{texts.holders[holder]}</h3>
      <Table caption={texts.holders[holder]} needs="some">
        <HeadRow>
          <ColumnHead className="w-1/5">{columns.account}</ColumnHead>
          <ColumnHead numeric className="w-1/6">
            {columns.held}
          </ColumnHead>
          <ColumnHead numeric className="w-1/6">
            {columns.expected}
          </ColumnHead>
          <ColumnHead numeric className="w-1/6">
            {columns.difference}
          </ColumnHead>
          <ColumnHead>{columns.state}</ColumnHead>
          <ColumnHead numeric>{columns.age}</ColumnHead>
        </HeadRow>
        <TableBody>
          {accounts.map((account) => (
            <AccountRow key={`${account.account}/${account.currency}`} account={account} />
          ))}
        </TableBody>
      </Table>
    </div>
  )
}

function AccountRow({ account: one }: { account: TreasuryAccount }) {
  const { columns } = texts
  const say = (amount: string | null) => (amount === null ? MISSING : amountOf(amount, one.currency))
  // The row begins with its currency: a figure with its unit would take two lines of a table.
  const tell = (amount: string | null) => (one.currency === 'USD' ? usd(amount) : crypto(amount))
  return (
    <Row>
      <Cell label={columns.account}>
        <span className="font-medium">{one.currency}</span>{' '}
        <span className="text-muted-foreground">{adminLedger.accounts[one.account] ?? one.account}</span>
      </Cell>
      <Cell label={columns.held} numeric>
        {tell(one.held)}
        {one.free !== null && one.free !== one.held ? (
          <span className="block text-xs text-muted-foreground">{texts.usable(say(one.free))}</span>
        ) : null}
      </Cell>
      <Cell label={columns.expected} numeric>
        {tell(one.expected)}
      </Cell>
      <Cell label={columns.difference} numeric>
        {tell(one.difference)}
      </Cell>
      <Cell label={columns.state}>
        <StatusBadge look={{ label: texts.states[one.state], tone: tones[one.state] }} />
        {one.state === 'under_way' ? (
          <span className="block text-xs text-muted-foreground">
            {texts.pending(say(one.less), say(one.more))}
          </span>
        ) : null}
      </Cell>
      <Cell label={columns.age} numeric>
        <Age account={one} />
      </Cell>
    </Row>
  )
}

function Age({ account: { readAt, stale } }: { account: TreasuryAccount }) {
  const now = useNow(10_000)
  if (readAt === null) return <>{MISSING}</>
  return (
    <>
      <time dateTime={readAt} title={utcTime(readAt)}>
        {ago(readAt, now)}
      </time>
      {stale ? (
        <span title={texts.oldHint} className="ml-2 font-medium text-danger-text">
          {texts.old}
        </span>
      ) : null}
    </>
  )
}
