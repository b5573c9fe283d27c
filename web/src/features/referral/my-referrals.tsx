import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Check, Copy, Gift } from 'lucide-react'
import type { ReferralCode, ReferralLine, ReferralStats } from '@/api/types.gen'
import { MoreButton } from '@/components/form/more-button'
import { Stat, Usd } from '@/components/money/money'
import { Failed, LoadingRows, NothingYet } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import type { StatusLook } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardLead, CardTitle } from '@/components/ui/card'
import { Input, Label } from '@/components/ui/input'
import { Cell, ColumnHead, HeadRow, Row, Table, TableBody } from '@/components/ui/table'
import { useCopy } from '@/lib/copy'
import { count, usd } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { useConfig } from '@/lib/session'
import { referral as texts } from '@/messages/referral'
import { HowItWorks } from './how-it-works'
import { referralCodeQuery, referralStatsQuery } from './queries'

/** specification §4: rewarded, active, and the other states. */
const looks: Record<ReferralLine['status'], StatusLook> = {
  registered: { label: texts.status.registered, tone: 'neutral' },
  active: { label: texts.status.active, tone: 'info' },
  held: { label: texts.status.held, tone: 'pending' },
  rewarded: { label: texts.status.rewarded, tone: 'success' },
  refused: { label: texts.status.refused, tone: 'neutral', ended: true },
  clawed_back: { label: texts.status.clawed_back, tone: 'neutral', ended: true },
}

/** What a signed-in customer sees of their referrals. */
export function MyReferrals() {
  const code = useQuery(referralCodeQuery)
  const list = useInfiniteQuery(referralStatsQuery)
  const reward = code.data?.reward ? usd(code.data.reward) : undefined
  return (
    <div className="space-y-6">
      <Stats stats={list.data?.pages[0]?.stats} />
      <Card>
        <CardTitle>{texts.linkTitle}</CardTitle>
        {code.data ? <CardLead>{texts.lead(reward)}</CardLead> : null}
        {code.error ? (
          <Failed title={texts.failed} error={code.error} retry={() => void code.refetch()} />
        ) : code.data ? (
          <Share code={code.data} />
        ) : (
          <LoadingRows rows={1} className="mt-4" />
        )}
      </Card>
      {code.data ? <HowItWorks steps={texts.how(reward)} /> : null}
      <Card>
        <CardTitle className="mb-4">{texts.listTitle}</CardTitle>
        {list.error ? (
          <Failed title={texts.failed} error={list.error} retry={() => void list.refetch()} />
        ) : list.isPending ? (
          <LoadingRows rows={2} />
        ) : (
          <Friends rows={rowsOf(list.data.pages)} />
        )}
        <MoreButton query={list} />
      </Card>
    </div>
  )
}

function Stats({ stats }: { stats: ReferralStats | undefined }) {
  return (
    <dl className="grid grid-cols-2 gap-4 lg:grid-cols-4">
      <Stat name={texts.stats.total}>{count(stats?.totalReferrals)}</Stat>
      <Stat name={texts.stats.active}>{count(stats?.activeReferrals)}</Stat>
      <Stat name={texts.stats.pending}>
        <Usd amount={stats?.pendingRewards} />
      </Stat>
      <Stat name={texts.stats.earned}>
        <Usd amount={stats?.totalRewards} />
      </Stat>
    </dl>
  )
}

function Share({ code }: { code: ReferralCode }) {
  const { brand } = useConfig()
  const text = texts.shareText(brand, code.bonus ? usd(code.bonus) : undefined)
  const twitter = `https://twitter.com/intent/tweet?${new URLSearchParams({ text, url: code.referralUrl })}`
  const facebook = `https://www.facebook.com/sharer/sharer.php?${new URLSearchParams({ u: code.referralUrl })}`
  return (
    <div className="mt-4 space-y-4">
      <div className="grid gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <Copied id="referral-link" label={texts.link} value={code.referralUrl} action={texts.copyLink} />
        <Copied id="referral-code" label={texts.code} value={code.referralCode} action={texts.copyCode} />
      </div>
      <div className="flex flex-wrap gap-3">
        {[
          [texts.twitter, twitter],
          [texts.facebook, facebook],
        ].map(([label, href]) => (
          <a
            key={label}
            href={href}
            target="_blank"
            rel="noreferrer"
            className={buttonVariants({ variant: 'outline', className: 'max-sm:grow' })}
          >
            {label}
          </a>
        ))}
      </div>
    </div>
  )
}

interface CopiedProps {
  id: string
  label: string
  value: string
  action: string
}

function Copied({ id, label, value, action }: CopiedProps) {
  const { copied, copy } = useCopy()
  const Icon = copied ? Check : Copy
  return (
    <div className="space-y-1.5">
      <Label htmlFor={id}>{label}</Label>
      <div className="flex flex-wrap gap-2">
        <Input id={id} readOnly value={value} className="flex-1 basis-48 font-mono" />
        <Button variant="outline" className="max-sm:grow" onClick={() => void copy(value)}>
          <Icon aria-hidden />
          {action}
        </Button>
      </div>
    </div>
  )
}

function Friends({ rows }: { rows: readonly ReferralLine[] }) {
  const { columns } = texts
  if (rows.length === 0) return <NothingYet icon={Gift} title={texts.empty} hint={texts.emptyHint} />
  return (
    <Table caption={texts.listTitle}>
      <HeadRow>
        <ColumnHead>{columns.name}</ColumnHead>
        <ColumnHead>{columns.since}</ColumnHead>
        <ColumnHead>{columns.status}</ColumnHead>
        <ColumnHead numeric>{columns.reward}</ColumnHead>
      </HeadRow>
      <TableBody>
        {rows.map((row) => (
          <Row key={row.id}>
            <Cell label={columns.name}>{row.name}</Cell>
            <Cell label={columns.since}>
              <Time at={row.createdAt} />
            </Cell>
            <Cell label={columns.status}>
              <StatusBadge look={looks[row.status]} />
            </Cell>
            <Cell label={columns.reward} numeric>
              <Usd amount={row.reward} />
            </Cell>
          </Row>
        ))}
      </TableBody>
    </Table>
  )
}
