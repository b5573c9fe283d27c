import { useQuery } from '@tanstack/react-query'
import { Card, CardLead } from '@/components/ui/card'
import { usd } from '@/lib/format'
import { adminPricing as texts } from '@/messages/admin-pricing'
import { Loaded } from '../shared/loaded'
import { kycPricingQuery, volumeTiersQuery } from './queries'

export function Tiers() {
  const { tier } = texts
  return (
    <Loaded query={useQuery(volumeTiersQuery)} failed={texts.fetchFailed.tiers}>
      {(tiers) => (
        <ReadTable
          lead={texts.tiersLead}
          caption={texts.tabs['volume-tiers']}
          heads={[tier.name, tier.from, tier.discount, tier.bonus, tier.active]}
          rows={tiers.map((row) => [
            row.tierName,
            usd(row.minVolume30Days),
            `${row.marginDiscountPercent} %`,
            `${row.bonusRewardPercent} %`,
            row.isActive ? texts.yes : texts.no,
          ])}
        />
      )}
    </Loaded>
  )
}

export function KycLevels() {
  const { kyc } = texts
  const limit = (amount: string | null) => (amount === null ? texts.unlimited : usd(amount))
  return (
    <Loaded query={useQuery(kycPricingQuery)} failed={texts.fetchFailed.kyc}>
      {(levels) => (
        <ReadTable
          lead={texts.kycLead}
          caption={texts.tabs['kyc-levels']}
          heads={[kyc.level, kyc.adjustment, kyc.single, kyc.day, kyc.month]}
          rows={levels.map((row) => [
            texts.levels[row.kycLevel] ?? row.kycLevel,
            `${row.marginAdjustmentPercent} %`,
            limit(row.maxSingleTransaction),
            limit(row.maxDailyVolume),
            limit(row.maxMonthlyVolume),
          ])}
        />
      )}
    </Loaded>
  )
}

interface ReadTableProps {
  lead: string
  caption: string
  heads: readonly string[]
  rows: readonly (readonly string[])[]
}

/** A table where there is room, and cards with their labels on a phone. */
function ReadTable({ lead, caption, heads, rows }: ReadTableProps) {
  return (
    <Card>
      <CardLead className="mt-0 mb-4">{lead}</CardLead>
      <table className="block w-full text-sm md:table">
        <caption className="sr-only">{caption}</caption>
        <thead className="sr-only md:not-sr-only md:table-header-group">
          <tr>
            {heads.map((head) => (
              <th
                key={head}
                scope="col"
                className="border-b pr-4 pb-2 text-left font-medium text-muted-foreground"
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="block md:table-row-group">
          {rows.map((cells) => (
            <tr key={cells[0]} className="block border-b py-3 last:border-0 md:table-row md:py-0">
              {cells.map((cell, at) => (
                <td
                  key={heads[at]}
                  className="flex justify-between gap-4 py-1 tabular-nums md:table-cell md:py-2.5 md:pr-4"
                >
                  <span aria-hidden className="text-muted-foreground md:hidden">
                    {heads[at]}
                  </span>
                  <span className={at === 0 ? 'font-medium capitalize' : ''}>{cell}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}
