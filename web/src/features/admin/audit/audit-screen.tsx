import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { AuditEntry, AuditSummary } from '@/api/types.gen'
import { SearchBox } from '@/components/form/search-box'
import { Time } from '@/components/status/time'
import { Cell, ColumnHead, HeadRow, Row, Table, TableBody } from '@/components/ui/table'
import { cn } from '@/lib/cn'
import { count, longTime, spaced, timeZone, titled } from '@/lib/format'
import { usePhone } from '@/lib/wide'
import { adminAudit as texts } from '@/messages/admin-books'
import { orders } from '@/messages/orders'
import { fileHref, isNarrowed } from '../shared/book'
import { BookScreen, Period } from '../shared/book-frame'
import { Choice } from '../shared/choice'
import { ObjectLink } from '../shared/object-link'
import { PhoneRow, PhoneRows } from '../shared/phone-row'
import { amountOf } from './amounts'
import type { AuditFilter } from './filters'
import { auditQuery, auditSummaryQuery } from './queries'

interface AuditProps {
  filter: AuditFilter
  onFilter: (filter: AuditFilter, replace: boolean) => void
}

/** Who did what, to what, what was different, and why. */
export function AuditScreen({ filter, onFilter }: AuditProps) {
  const list = useInfiniteQuery(auditQuery(filter))
  const summary = useQuery(auditSummaryQuery)
  return (
    <>
      <BookScreen
        title={texts.title}
        lead={`${texts.lead} ${orders.zone(timeZone())}`}
        list={list}
        file={fileHref('audit', filter)}
        search={{
          name: 'object',
          id: 'audit-object',
          label: texts.object,
          placeholder: texts.objectPlaceholder,
          value: filter.object,
          onChange: (object) => onFilter({ ...filter, object }, true),
        }}
        filters={<Filters filter={filter} onFilter={onFilter} summary={summary.data} />}
        failed={texts.fetchFailed}
        none={texts.none}
        narrowed={isNarrowed(filter)}
        onClear={() => onFilter({}, false)}
        table={(rows) => <Entries rows={rows} />}
      />
      <Seal summary={summary.data} />
    </>
  )
}

function Filters({ filter, onFilter, summary }: AuditProps & { summary: AuditSummary | undefined }) {
  const set = (part: AuditFilter) => onFilter({ ...filter, ...part }, false)
  return (
    <>
      <SearchBox
        id="audit-actor"
        label={texts.actor}
        placeholder={texts.actorPlaceholder}
        value={filter.actor ?? ''}
        onChange={(actor) => onFilter({ ...filter, actor: actor || undefined }, true)}
      />
      <Choice
        id="audit-action"
        label={texts.action}
        value={filter.action}
        choices={summary?.actions ?? []}
        labels={said(summary?.actions)}
        onChoose={(action) => set({ action })}
      />
      <Choice
        id="audit-kind"
        label={texts.kind}
        value={filter.kind}
        choices={summary?.kinds ?? []}
        labels={said(summary?.kinds)}
        onChoose={(kind) => set({ kind })}
      />
      <Period id="audit" filter={filter} onChange={set} />
    </>
  )
}

/** "customer.tier_set" → "Customer: tier set" */
const words = (action: string) => titled(action).replace('.', ': ')

/** A code, a time and an amount as every page writes them; anything else as it is. */
function readable(entry: AuditEntry, field: string, value: string): string {
  const amount = amountOf(entry, field, value)
  if (amount) return amount
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return longTime(value)
  return /^[a-z]+(_[a-z]+)+$/.test(value) ? spaced(value) : value
}

function said(actions: readonly string[] | undefined): Record<string, string> {
  return Object.fromEntries((actions ?? []).map((action) => [action, words(action)]))
}

function Entries({ rows }: { rows: readonly AuditEntry[] }) {
  const { columns } = texts
  if (usePhone())
    return (
      <PhoneRows
        caption={texts.title}
        rows={rows}
        row={(row) => (
          <PhoneRow
            title={words(row.action)}
            figure={
              <span className="text-xs text-muted-foreground">
                <Time at={row.at} />
              </span>
            }
            about={
              <>
                {row.actorId ? (row.actorName ?? row.actorId) : texts.system} ·{' '}
                <ObjectLink kind={row.objectKind} id={row.objectId} opens>
                  {row.objectName ?? titled(row.objectKind)}
                </ObjectLink>
                {row.reason ? ` · ${row.reason}` : ''}
              </>
            }
            more={changesOf(row)
              .slice(0, 2)
              .map(({ field, before, after }) => {
                const value = readable(row, field, after ?? before ?? '')
                return `${after === null ? texts.beforeIt(titled(field)) : titled(field)}: ${value}`
              })
              .join(' · ')
              .concat(changesOf(row).length > 2 ? ' · …' : '')}
          />
        )}
      />
    )
  return (
    <Table caption={texts.title} needs="much">
      <HeadRow>
        <ColumnHead>{columns.at}</ColumnHead>
        <ColumnHead>{columns.who}</ColumnHead>
        <ColumnHead>{columns.action}</ColumnHead>
        <ColumnHead>{columns.object}</ColumnHead>
        <ColumnHead>{columns.changes}</ColumnHead>
        <ColumnHead>{columns.reason}</ColumnHead>
      </HeadRow>
      <TableBody>
        {rows.map((row) => (
          <Row key={row.id} keyed={row.id}>
            <Cell label={columns.at}>
              <Time at={row.at} />
            </Cell>
            <Cell label={columns.who}>
              <span className="wrap-anywhere" title={row.actorId ?? undefined}>
                <ObjectLink kind={row.actorRole === 'customer' ? 'user' : null} id={row.actorId}>
                  {row.actorId ? (row.actorName ?? row.actorId) : texts.system}
                </ObjectLink>
              </span>
              <span className="block text-xs text-muted-foreground">{spaced(row.actorRole)}</span>
            </Cell>
            <Cell label={columns.action}>
              <span className="wrap-anywhere tabled:whitespace-nowrap">{words(row.action)}</span>
            </Cell>
            <Cell label={columns.object}>
              {titled(row.objectKind)}{' '}
              <span
                className={cn(
                  'block wrap-anywhere',
                  !row.objectName && 'font-mono text-xs',
                  isReference.test(row.objectName ?? '') && 'whitespace-nowrap',
                )}
                title={row.objectId}
              >
                <ObjectLink kind={row.objectKind} id={row.objectId} opens>
                  {row.objectName ?? row.objectId}
                </ObjectLink>
              </span>
            </Cell>
            <Cell label={columns.changes} className={changesOf(row).length === 0 ? 'stacked:hidden' : ''}>
              <Changes entry={row} />
            </Cell>
            <Cell label={columns.reason} className={row.reason === '' ? 'stacked:hidden' : ''}>
              <span className="wrap-anywhere">{row.reason}</span>
            </Cell>
          </Row>
        ))}
      </TableBody>
    </Table>
  )
}

const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** "TP-AHR5-HHJ6", which stays in one piece. */
const isReference = /^[A-Z]{2}-[A-Z0-9-]+$/

/** Fields that hold the id of a record with no page of its own: the file has them, the line says what was done. */
const internal = ['decision', 'file', 'note', 'proposal', 'review']

function changesOf({ changes }: AuditEntry) {
  return changes.filter(
    ({ field, before, after }) => !(internal.includes(field) && isId.test(after ?? before ?? '')),
  )
}

/** What was different, a field a line; a field without a value after says that its value is the one before. */
function Changes({ entry }: { entry: AuditEntry }) {
  const changes = changesOf(entry)
  if (changes.length === 0) return null
  return (
    <ul className="space-y-1">
      {changes.map(({ field, before, after }) => (
        <li key={field} className="wrap-anywhere">
          <span className="text-muted-foreground">
            {after === null ? texts.beforeIt(titled(field)) : titled(field)}:{' '}
          </span>
          {after === null ? null : (
            <ins className={cn('no-underline', isId.test(after) && 'font-mono text-xs')}>
              {readable(entry, field, after)}
            </ins>
          )}
          {before === null ? null : (
            <del className="text-muted-foreground no-underline">
              {after === null
                ? readable(entry, field, before)
                : ` (${texts.was} ${readable(entry, field, before)})`}
            </del>
          )}
        </li>
      ))}
    </ul>
  )
}

/** How far the log is sealed: an auditor who noted a seal can prove whether a line was changed. */
function Seal({ summary }: { summary: AuditSummary | undefined }) {
  return (
    <div className="mt-4 min-h-10 text-xs text-muted-foreground">
      {summary ? (
        summary.sealedAt ? (
          <>
            <p>{texts.sealed(count(summary.sealedTo), longTime(summary.sealedAt))}</p>
            <p className="font-mono wrap-anywhere">
              {texts.seal} {summary.seal}
            </p>
          </>
        ) : (
          texts.unsealed
        )
      ) : null}
    </div>
  )
}
