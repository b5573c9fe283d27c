import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import type { TreasuryPast, TreasuryThen } from '@/api/types.gen'
import { Failed, LoadingRows } from '@/components/states/states'
import { shortTime } from '@/lib/format'
import { adminLedger } from '@/messages/admin-books'
import { adminTreasury as texts } from '@/messages/admin-treasury'
import { Chips } from '../shared/chips'
import { FiguresTable } from '../shared/figures-table'
import { Fold } from '../shared/fold'
import { type MoveFilter, treasurySpans } from './filters'
import { amountOf, historyQuery } from './queries'

interface HistoryProps {
  filter: MoveFilter
  onFilter: (filter: MoveFilter) => void
}

/** The history of each account at a provider, against the books at those times. */
export function TreasuryHistory({ filter, onFilter }: HistoryProps) {
  const span = filter.span ?? 'week'
  const history = useQuery(historyQuery(span))
  const accounts = history.data?.accounts.filter(({ points }) => points.length > 0) ?? []
  return (
    <section aria-labelledby="treasury-history">
      <Fold id="treasury-history" title={texts.history}>
        <p className="mt-1 mb-4 max-w-prose text-sm text-muted-foreground">{texts.historyLead}</p>
        <Chips
          legend={texts.span}
          value={span}
          onChange={(chosen) => onFilter({ ...filter, span: chosen === 'week' ? undefined : chosen })}
          chips={treasurySpans.map((value) => ({ value, label: texts.spans[value], count: null }))}
        />
        {history.error ? (
          <Failed
            className="mt-4"
            title={texts.historyFailed}
            error={history.error}
            retry={() => void history.refetch()}
          />
        ) : null}
        {history.isPending ? <LoadingRows rows={3} /> : null}
        {history.data && accounts.length === 0 ? (
          <p className="mt-4 text-sm text-muted-foreground">{texts.noHistory}</p>
        ) : null}
        <div className="mt-4 grid gap-3 md:grid-cols-2 xl:grid-cols-3">
          {accounts.map((past) => (
            <Past key={`${past.account}/${past.currency}`} past={past} />
          ))}
        </div>
      </Fold>
    </section>
  )
}

const WIDTH = 300
const HEIGHT = 96

/** Two lines, the provider's and the books', with the figures as a table for those who do not see them. */
function Past({ past: { holder, account, currency, points } }: { past: TreasuryPast }) {
  const id = useId()
  const { columns } = texts
  const say = (amount: string | undefined) => amountOf(amount, currency)
  const last = points.at(-1)
  return (
    <figure className="relative min-w-0 rounded-lg border bg-card p-4 md:p-5" aria-labelledby={id}>
      <figcaption className="mb-3">
        <span id={id} className="text-sm font-medium">
          {texts.holders[holder]} · {currency}{' '}
          <span className="font-normal text-muted-foreground">
            {adminLedger.accounts[account] ?? account}
          </span>
        </span>
        <span className="block text-xs text-muted-foreground tabular-nums">
          {texts.historyLast(say(last?.held), say(last?.expected))}
        </span>
      </figcaption>
      <svg
        aria-hidden
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-24 w-full fill-none text-primary"
      >
        <line x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className="stroke-border" />
        <Lines points={points} />
      </svg>
      <FiguresTable
        caption={texts.historyOf(texts.holders[holder], currency)}
        columns={[columns.age, columns.held, columns.expected, columns.difference]}
        rows={points.map(({ at, held, expected, difference }) => ({
          key: at,
          name: shortTime(at),
          figures: [say(held), say(expected), say(difference)],
        }))}
      />
    </figure>
  )
}

/** The books' line is wide and light, the provider's thin: where they agree, one lies on the other. */
function Lines({ points }: { points: readonly TreasuryThen[] }) {
  const times = points.map(({ at }) => Date.parse(at))
  const figures = points.flatMap(({ held, expected }) => [Number(held), Number(expected)])
  const [first, last] = [Math.min(...times), Math.max(...times)]
  const [least, most] = [Math.min(...figures), Math.max(...figures)]
  const x = (time: number) => (last === first ? WIDTH / 2 : ((time - first) / (last - first)) * WIDTH)
  const y = (figure: number) =>
    most === least ? HEIGHT / 2 : HEIGHT - 6 - ((figure - least) / (most - least)) * (HEIGHT - 12)
  const drawn = (read: (point: TreasuryThen) => string) =>
    points.map((point, n) => `${x(times[n] ?? first)},${y(Number(read(point)))}`).join(' ')
  return (
    <>
      <polyline
        points={drawn(({ expected }) => expected)}
        vectorEffect="non-scaling-stroke"
        strokeWidth={6}
        className="stroke-current opacity-30"
      />
      <polyline
        points={drawn(({ held }) => held)}
        vectorEffect="non-scaling-stroke"
        strokeWidth={1.75}
        className="stroke-current"
      />
      {points.map((point, n) => (
        <rect key={point.at} x={x(times[n] ?? first) - 3} y={0} width={6} height={HEIGHT} fill="transparent">
          <title>{texts.historyPoint(shortTime(point.at), point.held, point.expected)}</title>
        </rect>
      ))}
    </>
  )
}
