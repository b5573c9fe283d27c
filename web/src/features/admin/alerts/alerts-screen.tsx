import { useInfiniteQuery } from '@tanstack/react-query'
import { CheckCheck } from 'lucide-react'
import { acknowledgeAlert, listAlerts } from '@/api/admin.gen'
import type { StaffAlert } from '@/api/types.gen'
import { StatusBadge } from '@/components/status/badge'
import type { StatusLook } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { textLink } from '@/components/ui/text-link'
import { useNow } from '@/lib/clock'
import { MISSING, titled } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { adminAlerts as texts } from '@/messages/admin-alerts'
import { queue } from '@/messages/admin-queue'
import { Chips } from '../shared/chips'
import { type DecisionButton, RowDecisions } from '../shared/decision-buttons'
import { DecisionDialog } from '../shared/decision-dialog'
import { Fact, Facts } from '../shared/facts'
import { ListFrame } from '../shared/list-frame'
import { Person } from '../shared/person'
import { pagedQuery } from '../shared/polled'
import { Age, Long, Opener, RowStatus, rowActs, shortAge } from '../shared/queue-cells'
import type { Column } from '../shared/queue-table'
import { RowDetails, useRowWork } from '../shared/row-work'
import { useAct } from '../shared/use-act'
import { type AlertFilter, alertViews } from './filters'

const alertButtons: readonly DecisionButton<'acknowledge'>[] = [
  { action: 'acknowledge', label: texts.acknowledge, weight: 'first', shortcut: 'a' },
]

const key = ['admin-alerts']

const alertsQuery = (state: StaffAlert['state']) =>
  pagedQuery(key, state === 'open' ? {} : { state }, (query, signal) => listAlerts({ query, signal }))

interface AlertsProps {
  filter: AlertFilter
  onFilter: (filter: AlertFilter) => void
}

/** What is wrong now, who sees to it, and what was wrong before. */
export function AlertsScreen({ filter, onFilter }: AlertsProps) {
  const view = filter.view ?? 'open'
  const list = useInfiniteQuery(alertsQuery(view))
  const work = useRowWork({
    rows: rowsOf(list.data?.pages),
    nameOf,
    buttons: alertButtons,
    may: ({ actions }) => actions,
    links: ({ page }) => [{ label: texts.lookAt, href: page }],
    dialog: (alert, action, close) =>
      action === 'details' ? (
        <RowDetails title={nameOf(alert)} onClose={close}>
          <AlertCard alert={alert} />
        </RowDetails>
      ) : (
        <Acknowledge alert={alert} onClose={close} />
      ),
  })
  return (
    <ListFrame
      title={texts.title}
      lead={texts.lead}
      list={list}
      counters={null}
      filters={
        <Chips
          legend={texts.view}
          value={view}
          onChange={(chosen) => onFilter({ ...filter, view: chosen === 'open' ? undefined : chosen })}
          chips={alertViews.map((value) => ({
            value,
            label: texts.views[value],
            count: value === view ? (list.data?.pages[0]?.total ?? null) : null,
          }))}
        />
      }
      filtered={false}
      failed={texts.fetchFailed}
      empty={{
        title: texts.empty,
        filteredHint: texts.hints[view],
        firstHint: texts.hints[view],
        icon: CheckCheck,
      }}
      card={(alert) => <AlertCard alert={alert} />}
      dense={{ columns: columns((alert) => work.open(alert, 'details')), nameOf }}
      work={work}
    />
  )
}

const nameOf = ({ kind, subject }: StaffAlert) => `${titled(kind)} · ${subject}`

const columns = (onOpen: (alert: StaffAlert) => void): readonly Column<StaffAlert>[] => [
  {
    key: 'alert',
    name: texts.alert,
    cell: (alert) => <Opener onOpen={() => onOpen(alert)}>{titled(alert.kind)}</Opener>,
  },
  { key: 'subject', name: texts.about, cell: ({ subject }) => <Long text={subject} /> },
  { key: 'text', name: texts.problem, from: 'xl', cell: ({ text }) => <Long text={text} /> },
  { key: 'opened', name: texts.opened, cell: ({ openedAt }) => <Time at={openedAt} /> },
  { key: 'by', name: texts.by, from: 'xl', cell: ({ acknowledgedBy }) => <By name={acknowledgedBy} /> },
  { key: 'closed', name: texts.closed, from: 'xl', cell: ({ closedAt }) => <Time at={closedAt} /> },
  {
    key: 'lasted',
    name: texts.lasted,
    numeric: true,
    cell: (alert) => (alert.closedAt ? <Lasted alert={alert} /> : <Age since={alert.openedAt} />),
  },
  { key: 'status', name: queue.status, cell: (alert) => <RowStatus look={lookOf(alert)} /> },
]

/** Who sees to it, whole on a pointer's rest. */
function By({ name }: { name: string | null }) {
  return name ? (
    <span title={name}>
      <Person name={name} />
    </span>
  ) : (
    <>{MISSING}</>
  )
}

/** How long it was, or has been open. */
function Lasted({ alert: { openedAt, closedAt } }: { alert: StaffAlert }) {
  const now = useNow(10_000)
  return <>{shortAge((closedAt ? Date.parse(closedAt) : now) - Date.parse(openedAt))}</>
}

function lookOf({ state, goneAt }: StaffAlert): StatusLook {
  if (state === 'past') return { label: texts.closed, tone: 'neutral', ended: true }
  if (goneAt) return { label: texts.going, tone: 'success' }
  if (state === 'acknowledged') return { label: texts.acknowledged, tone: 'pending' }
  return { label: texts.open, tone: 'danger' }
}

/** One alert, with who sees to it and how long it was. */
function AlertCard({ alert }: { alert: StaffAlert }) {
  const { acknowledgedAt, acknowledgedBy, note } = alert
  return (
    <article aria-label={nameOf(alert)} className="rounded-lg border bg-card p-4">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <h2 className="min-w-0 text-base wrap-anywhere">{nameOf(alert)}</h2>
        <StatusBadge look={lookOf(alert)} />
      </div>
      <p className="mb-3 text-sm">
        {alert.text}{' '}
        <a href={alert.page} className={textLink}>
          {texts.lookAt}
        </a>
      </p>
      <Facts>
        <Fact name={texts.opened}>
          <Time at={alert.openedAt} />
        </Fact>
        <Fact name={texts.lasted}>
          <Lasted alert={alert} />
        </Fact>
        {acknowledgedAt ? (
          <Fact name={texts.by}>
            <By name={acknowledgedBy} /> · <Time at={acknowledgedAt} />
          </Fact>
        ) : null}
        {note ? (
          <Fact name={texts.note} wide>
            {note}
          </Fact>
        ) : null}
        {alert.closedAt ? (
          <Fact name={texts.closed}>
            <Time at={alert.closedAt} />
          </Fact>
        ) : null}
      </Facts>
      {alert.actions.length > 0 ? (
        <div className={rowActs}>
          <RowDecisions
            buttons={alertButtons}
            actions={alert.actions}
            row={nameOf(alert)}
            dialog={(_, close) => <Acknowledge alert={alert} onClose={close} />}
          />
        </div>
      ) : null}
    </article>
  )
}

/** The dialog to say that one sees to an alert. */
function Acknowledge({ alert, onClose }: { alert: StaffAlert; onClose: () => void }) {
  const act = useAct(
    async (note) => (await acknowledgeAlert({ path: { id: alert.id }, body: note ? { note } : {} })).data,
    {
      said: () => ({ title: texts.done }),
      failed: texts.failed,
      failedText: texts.failedText,
      changes: [key, ['admin-platform']],
      onDone: onClose,
    },
  )
  return (
    <DecisionDialog
      title={texts.dialogTitle}
      text={alert.text}
      confirm={texts.acknowledge}
      reason={{ label: texts.noteField, placeholder: texts.notePlaceholder, optional: true }}
      decision={act}
      onClose={onClose}
    />
  )
}
