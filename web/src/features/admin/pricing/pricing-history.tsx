import { useInfiniteQuery } from '@tanstack/react-query'
import type { PricingVersion } from '@/api/types.gen'
import { Failed } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { rowsOf } from '@/lib/paging'
import { adminPricing as texts } from '@/messages/admin-pricing'
import { common, methodLabels } from '@/messages/common'
import { countryName, offeredIn, pricingHistoryQuery } from './queries'

/** Who changed what, from what to what, and why. */
export function PricingHistory({ kind }: { kind: 'payment_method' | 'country' }) {
  const list = useInfiniteQuery(pricingHistoryQuery(kind))
  const rows = rowsOf(list.data?.pages)
  return (
    <Card className="mt-6">
      <CardTitle>{texts.history}</CardTitle>
      {list.error ? (
        <Failed
          className="mt-4"
          title={texts.fetchFailed.history}
          error={list.error}
          retry={() => void list.refetch()}
        />
      ) : null}
      {list.data && rows.length === 0 ? (
        <p className="mt-2 text-sm text-muted-foreground">{texts.historyEmpty}</p>
      ) : null}
      <ol data-past className="mt-2 divide-y text-sm">
        {rows.map((row) => (
          <li key={row.id} className="py-3">
            <p>
              <span className="font-medium">{nameOf(row)}</span>{' '}
              <span className="text-muted-foreground">
                {texts.version(row.version)} · {texts.by(row.by)} · <Time at={row.createdAt} />
              </span>
            </p>
            <ul className="mt-1 space-y-0.5">
              {changesOf(row).map((line) => (
                <li key={line} className="wrap-anywhere">
                  {line}
                </li>
              ))}
            </ul>
            {row.reason ? <p className="mt-1 text-muted-foreground wrap-anywhere">“{row.reason}”</p> : null}
          </li>
        ))}
      </ol>
      {list.hasNextPage ? (
        <Button
          variant="outline"
          size="sm"
          disabled={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {common.loadMore}
        </Button>
      ) : null}
    </Card>
  )
}

function nameOf(row: PricingVersion): string {
  return row.kind === 'country' ? countryName(row.name) : (methodLabels[row.name] ?? row.name)
}

/** Each field that differs, as "before → after". */
export function changesOf({ before, after }: Pick<PricingVersion, 'before' | 'after'>): string[] {
  const lines: string[] = before && after ? [] : [after ? texts.added : texts.removed]
  const fields = Object.keys({ ...before, ...after }).filter((field) => field !== 'country')
  for (const field of fields) {
    const [was, is] = [written(before?.[field]), written(after?.[field])]
    if (was === is) continue
    const label = texts.fields[field] ?? field
    lines.push(before && after ? `${label}: ${was} → ${is}` : `${label}: ${after ? is : was}`)
  }
  return lines
}

function written(value: unknown): string {
  if (Array.isArray(value)) return offeredIn(value.map(String)) // its countries
  if (typeof value === 'boolean') return value ? texts.yes : texts.no
  return value === '' || value === undefined || value === null ? '—' : String(value)
}
