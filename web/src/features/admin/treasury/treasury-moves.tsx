import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Vault } from 'lucide-react'
import type { TreasuryMove } from '@/api/types.gen'
import { NothingYet } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { Cell, ColumnHead, HeadRow, Row, Table, TableBody } from '@/components/ui/table'
import { textLink } from '@/components/ui/text-link'
import { useCoins } from '@/lib/offer'
import { adminTreasury as texts } from '@/messages/admin-treasury'
import { Book } from '../shared/book-frame'
import { Choice } from '../shared/choice'
import { Fold } from '../shared/fold'
import { type MoveFilter, moveStatuses } from './filters'
import { amountOf, moveLooks, movesQuery, networkName } from './queries'

interface MovesProps {
  filter: MoveFilter
  onFilter: (filter: MoveFilter) => void
}

/** All moves of coin, newest first. */
export function TreasuryMoves({ filter, onFilter }: MovesProps) {
  const offered = useCoins()
  const list = useInfiniteQuery(movesQuery(filter))
  const narrowed = Boolean(filter.status ?? filter.asset)
  const none = !narrowed && list.data?.pages.every(({ items }) => items.length === 0)
  return (
    <section aria-labelledby="treasury-moves">
      <Fold id="treasury-moves" title={texts.moves}>
        <p className="mt-1 mb-4 max-w-prose text-sm text-muted-foreground">{texts.movesLead}</p>
        <search className="mb-4 grid grid-cols-1 items-start gap-3 sm:grid-cols-2 lg:max-w-xl">
          <Choice
            id="moves-status"
            label={texts.status}
            value={filter.status}
            choices={moveStatuses}
            labels={texts.statuses}
            onChoose={(status) => onFilter({ ...filter, status })}
          />
          <Choice
            id="moves-asset"
            label={texts.asset}
            value={filter.asset}
            choices={offered}
            onChoose={(asset) => onFilter({ ...filter, asset })}
          />
        </search>
        {none ? (
          <div className="rounded-lg border bg-card">
            <NothingYet icon={Vault} title={texts.noMoves} hint={texts.noMovesHint} />
          </div>
        ) : (
          <Book
            list={list}
            failed={texts.movesFailed}
            none={texts.noneFound}
            narrowed={narrowed}
            onClear={() => onFilter({ span: filter.span })}
            table={(rows) => <Moves rows={rows} />}
          />
        )}
      </Fold>
    </section>
  )
}

function Moves({ rows }: { rows: readonly TreasuryMove[] }) {
  const { moveColumns: columns } = texts
  return (
    <Table caption={texts.moves}>
      <HeadRow>
        <ColumnHead>{columns.reference}</ColumnHead>
        <ColumnHead numeric>{columns.amount}</ColumnHead>
        <ColumnHead>{columns.status}</ColumnHead>
        <ColumnHead>{columns.proposer}</ColumnHead>
        <ColumnHead>{columns.at}</ColumnHead>
      </HeadRow>
      <TableBody>
        {rows.map((move) => (
          <Row key={move.id} keyed={move.id}>
            <Cell label={columns.reference}>
              <Link
                data-open
                to="/admin/treasury/$id"
                params={{ id: move.id }}
                className={`${textLink} font-mono`}
              >
                {move.reference}
              </Link>
            </Cell>
            <Cell label={columns.amount} numeric>
              {amountOf(move.amount, move.asset)}{' '}
              <span className="text-muted-foreground">{networkName(move.network)}</span>
            </Cell>
            <Cell label={columns.status}>
              <StatusBadge look={moveLooks[move.status]} />
            </Cell>
            <Cell label={columns.proposer} className="wrap-anywhere">
              {move.proposer ?? texts.bySystem}
            </Cell>
            <Cell label={columns.at}>
              <Time at={move.createdAt} />
            </Cell>
          </Row>
        ))}
      </TableBody>
    </Table>
  )
}
