import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { releaseCustomerTier, setCustomerTier } from '@/api/admin.gen'
import type { AdminCustomer, AdminCustomerStats, TierChange } from '@/api/types.gen'
import { Field } from '@/components/form/field'
import { Usd } from '@/components/money/money'
import { StatusBadge } from '@/components/status/badge'
import { customerKycLooks } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { Dialog, DialogContent } from '@/components/ui/dialog'
import { Input } from '@/components/ui/input'
import { count, day } from '@/lib/format'
import { messageOf } from '@/lib/http'
import { useUser } from '@/lib/session'
import { toast } from '@/lib/toast'
import { adminCustomers as texts } from '@/messages/admin-customers'
import { Fact, Facts } from '../shared/facts'
import { volumeTiers } from './filters'
import { customerStatsQuery } from './queries'
import { TierSelect } from './tier-select'

interface CustomerEditProps {
  customer: AdminCustomer
  onClose: () => void
}

/** The specification's edit dialog: a tier applies as soon as it is chosen, and closes it. */
export function CustomerEdit({ customer, onClose }: CustomerEditProps) {
  const stats = useQuery(customerStatsQuery(customer.id))
  const { mayChange, choose, release, pending } = useTier(customer, onClose)
  const [until, setUntil] = useState(customer.tierUntil?.slice(0, 10) ?? '')
  const [reason, setReason] = useState('')
  return (
    <Dialog open onOpenChange={(open) => (open || pending ? undefined : onClose())}>
      <DialogContent title={texts.editTitle} description={texts.editText}>
        <Facts className="mb-4">
          <Fact name={texts.id} wide>
            <code className="text-xs">{customer.id}</code>
          </Fact>
          <Fact name={texts.columns.email}>{customer.email || texts.none}</Fact>
          <Fact name={texts.columns.kyc}>
            <StatusBadge look={customerKycLooks[customer.kycStatus]} />
          </Fact>
          <Fact name={texts.columns.volume}>
            <Usd amount={customer.totalVolume30Days} />
          </Fact>
        </Facts>
        <Field
          id="customer-tier"
          label={texts.columns.tier}
          hint={customer.tierUntil ? texts.byHandUntil(day(customer.tierUntil)) : texts.byVolume}
        >
          {(field) => (
            <TierSelect
              {...field}
              tier={customer.volumeTier}
              disabled={pending || !mayChange}
              onChoose={(volumeTier) =>
                choose({
                  volumeTier,
                  version: customer.version,
                  ...(reason.trim() ? { reason: reason.trim() } : {}),
                })
              }
            />
          )}
        </Field>
        {mayChange ? (
          <div className="mt-4">
            <Field id="customer-tier-reason" label={texts.tierReason} hint={texts.tierReasonHint}>
              {(field) => (
                <Input {...field} value={reason} onChange={(event) => setReason(event.target.value)} />
              )}
            </Field>
          </div>
        ) : null}
        {customer.tierUntil && mayChange ? (
          <form
            className="mt-4 flex flex-wrap items-end gap-2"
            onSubmit={(event) => {
              event.preventDefault()
              const volumeTier = volumeTiers.find((tier) => tier === customer.volumeTier)
              if (volumeTier && until)
                choose({ volumeTier, until: `${until}T23:59:59Z`, version: customer.version })
            }}
          >
            <Field id="customer-tier-until" label={texts.until}>
              {(field) => (
                <Input
                  {...field}
                  type="date"
                  value={until}
                  onChange={(event) => setUntil(event.target.value)}
                />
              )}
            </Field>
            <Button type="submit" variant="outline" disabled={pending || !until}>
              {texts.saveUntil}
            </Button>
            <Button variant="ghost" disabled={pending} onClick={release}>
              {texts.release}
            </Button>
          </form>
        ) : null}
        <h3 className="mt-5 mb-2 text-sm font-semibold">{texts.stats}</h3>
        <CustomerFigures stats={stats.data} />
      </DialogContent>
    </Dialog>
  )
}

function useTier(customer: AdminCustomer, onClose: () => void) {
  const client = useQueryClient()
  const done = () => {
    toast({ title: texts.success, description: texts.updated })
    void client.invalidateQueries({ queryKey: ['admin-customers'] })
    onClose()
  }
  const failed = (error: Error) =>
    toast({ title: texts.error, description: messageOf(error, texts.updateFailed), variant: 'destructive' })
  const set = useMutation({
    mutationFn: (body: TierChange) => setCustomerTier({ path: { id: customer.id }, body }),
    onSuccess: done,
    onError: failed,
  })
  const release = useMutation({
    mutationFn: () => releaseCustomerTier({ path: { id: customer.id } }),
    onSuccess: done,
    onError: failed,
  })
  const mayChange = useUser()?.permissions.includes('configure') ?? false
  return {
    mayChange,
    choose: (body: TierChange) => set.mutate(body),
    release: () => release.mutate(),
    pending: set.isPending || release.isPending,
  }
}

/** A customer's figures of all time. */
export function CustomerFigures({ stats }: { stats: AdminCustomerStats | undefined }) {
  return (
    <Facts>
      <Fact name={texts.totalOrders}>
        {stats?.unpaidOrders
          ? texts.paidOnly(count(stats.totalOrders), count(stats.unpaidOrders))
          : count(stats?.totalOrders)}
      </Fact>
      <Fact name={texts.totalVolume}>
        <Usd amount={stats?.totalVolume} />
      </Fact>
      <Fact name={texts.avgOrder}>
        <Usd amount={stats?.avgOrderSize} />
      </Fact>
      <Fact name={texts.lastOrder}>
        {stats && !stats.lastOrderDate ? texts.never : <Time at={stats?.lastOrderDate} />}
      </Fact>
    </Facts>
  )
}
