import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { KillSwitch, MethodPricing, Switches } from '@/api/types.gen'
import { PageHead } from '@/components/layout/page'
import { Stat } from '@/components/money/money'
import { StatusBadge } from '@/components/status/badge'
import type { StatusLook } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { Card, CardLead, CardTitle } from '@/components/ui/card'
import { textLink } from '@/components/ui/text-link'
import { count } from '@/lib/format'
import { useSignedInUser } from '@/lib/session'
import { adminSwitches as texts } from '@/messages/admin-switches'
import { assetNames, methodLabels } from '@/messages/common'
import { DecisionDialog } from '../shared/decision-dialog'
import { Loaded } from '../shared/loaded'
import { useAct } from '../shared/use-act'
import { methodsQuery, switchesQuery, turn } from './queries'

const kinds = ['fulfilment', 'signups', 'asset', 'rail'] as const

function nameOf({ kind, name }: KillSwitch): string {
  if (kind === 'asset') return `${assetNames[name] ?? name} (${name})`
  return texts.names[kind] ?? methodLabels[name] ?? name
}

/** What can be paused, what is, and who paused it. */
export function AdminSwitchesScreen() {
  const query = useQuery(switchesQuery)
  const mayTurn = useSignedInUser().permissions.includes('configure')
  const [turning, setTurning] = useState<KillSwitch>()
  const off = offMethods(useQuery(methodsQuery).data)
  return (
    <>
      <PageHead title={texts.title} lead={mayTurn ? texts.lead : texts.readOnly} />
      <Loaded query={query} failed={texts.fetchFailed}>
        {(all) => (
          <div className="space-y-4">
            <Parked all={all} />
            {kinds.map((kind) => (
              <Card key={kind} aria-label={texts.groups[kind]}>
                <CardTitle>{texts.groups[kind]}</CardTitle>
                <CardLead className="max-w-prose">{texts.effects[kind]}</CardLead>
                <ul className="mt-3 divide-y">
                  {all.switches
                    .filter((one) => one.kind === kind)
                    .map((one) => (
                      <Row
                        key={one.name}
                        one={one}
                        off={one.kind === 'rail' && off.includes(one.name)}
                        mayTurn={mayTurn}
                        onTurn={() => setTurning(one)}
                      />
                    ))}
                </ul>
              </Card>
            ))}
          </div>
        )}
      </Loaded>
      {turning ? <Turning one={turning} onClose={() => setTurning(undefined)} /> : null}
    </>
  )
}

function Parked({ all }: { all: Switches }) {
  return (
    <dl className="grid grid-cols-2 gap-2 md:gap-3 xl:grid-cols-4">
      <Stat name={texts.parkedOrders}>
        <Link to="/admin/orders" search={{ attention: true }} className={textLink}>
          {count(all.parkedOrders)}
        </Link>
      </Stat>
      <Stat name={texts.parkedRedemptions}>
        <Link to="/admin/vouchers" search={{ status: 'waiting' }} className={textLink}>
          {count(all.parkedRedemptions)}
        </Link>
      </Stat>
    </dl>
  )
}

/** The payment methods that Pricing has turned off: nothing of them is running. */
export function offMethods(prices: readonly Pick<MethodPricing, 'paymentMethod' | 'isEnabled'>[] = []) {
  return prices.filter(({ isEnabled }) => !isEnabled).map(({ paymentMethod }) => paymentMethod)
}

/** What a switch says: what is paused here comes first, for it stays paused when Pricing turns it on. */
export function switchLook(paused: boolean, off: boolean): StatusLook {
  if (paused) return { label: texts.paused, tone: 'danger' }
  return off ? { label: texts.off, tone: 'neutral', ended: true } : { label: texts.running, tone: 'success' }
}

interface RowProps {
  one: KillSwitch
  /** Pricing has it turned off. */
  off: boolean
  mayTurn: boolean
  onTurn: () => void
}

function Row({ one, off, mayTurn, onTurn }: RowProps) {
  const name = nameOf(one)
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 py-3 text-sm">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-medium">{name}</span>
          <StatusBadge look={switchLook(one.paused, off)} />
        </p>
        {one.changedAt ? (
          <p className="mt-0.5 text-muted-foreground wrap-anywhere">
            <Time at={one.changedAt} /> {texts.turnedBy(one.by)}: “{one.reason}”
          </p>
        ) : null}
      </div>
      {mayTurn ? (
        <Button variant="outline" size="sm" onClick={onTurn}>
          {one.paused ? texts.resume : texts.pause}
          <span className="sr-only"> {name}</span>
        </Button>
      ) : null}
    </li>
  )
}

function Turning({ one, onClose }: { one: KillSwitch; onClose: () => void }) {
  const client = useQueryClient()
  const name = nameOf(one)
  const pause = !one.paused
  const press = useAct((reason) => turn({ kind: one.kind, name: one.name, paused: pause, reason }), {
    said: () => ({ title: pause ? texts.pausedDone(name) : texts.resumedDone(name) }),
    failed: texts.failed,
    failedText: texts.failedText,
    changes: [['admin-switches'], ['limits'], ['admin-orders'], ['admin-order']],
    onDone: (all) => {
      client.setQueryData(switchesQuery.queryKey, all)
      onClose()
    },
  })
  return (
    <DecisionDialog
      title={pause ? texts.pauseTitle(name) : texts.resumeTitle(name)}
      text={pause ? texts.effects[one.kind] : texts.resumeText}
      confirm={pause ? texts.pause : texts.resume}
      destructive={pause}
      reason={{ label: texts.reason, placeholder: texts.reasonPlaceholder }}
      decision={press}
      onClose={onClose}
    />
  )
}
