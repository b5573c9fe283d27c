import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { freezeCustomer, noteAboutCustomer, signCustomerOut, unfreezeCustomer } from '@/api/admin.gen'
import type { AdminCustomerDetail } from '@/api/types.gen'
import { Usd } from '@/components/money/money'
import { StatusBadge } from '@/components/status/badge'
import { customerKycLooks, historyLook } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { textLink } from '@/components/ui/text-link'
import { cn } from '@/lib/cn'
import { signedUsd, spaced, titled } from '@/lib/format'
import { messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { adminCustomers as texts } from '@/messages/admin-customers'
import { quietDanger } from '../shared/decision-buttons'
import { DecisionDialog } from '../shared/decision-dialog'
import { Fact, Facts } from '../shared/facts'
import { Notes } from '../shared/notes'
import { BookLinks } from '../shared/object-link'
import { RecordFrame, RecordHead, Stack, Stacks } from '../shared/record-frame'
import { useAct } from '../shared/use-act'
import { CustomerEdit, CustomerFigures } from './customer-edit'
import { customerQuery } from './queries'

/** One customer with all that staff decide from. */
export function CustomerScreen({ id }: { id: string }) {
  return (
    <RecordFrame query={useQuery(customerQuery(id))} title={texts.one} failed={texts.fetchFailed}>
      {(customer) => <Loaded customer={customer} />}
    </RecordFrame>
  )
}

function Loaded({ customer }: { customer: AdminCustomerDetail }) {
  return (
    <>
      <RecordHead
        title={customer.name ?? texts.anonymous}
        lead={
          <>
            {customer.email || texts.none}
            <BookLinks id={customer.id} booked={false} />
          </>
        }
        look={customerKycLooks[customer.kycStatus]}
        list={{ to: '/admin/customers', title: texts.title }}
      />
      <Actions customer={customer} />
      <Stacks>
        <Stack>
          <Standing customer={customer} />
          <Money customer={customer} />
        </Stack>
        <Stack>
          <Trades customer={customer} />
          <Tickets customer={customer} />
          <CustomerNotes customer={customer} />
          <Sessions customer={customer} />
          <Consents customer={customer} />
        </Stack>
      </Stacks>
    </>
  )
}

/** Invalidates the queries of customers. */
function useReread() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: ['admin-customers'] })
}

function Actions({ customer }: { customer: AdminCustomerDetail }) {
  const [opened, setOpened] = useState<'freeze' | 'unfreeze' | 'tier'>()
  const { actions } = customer
  if (actions.length === 0) return null
  return (
    <div className="mb-6 flex flex-wrap gap-2">
      {actions.includes('tier') ? (
        <Button variant="outline" onClick={() => setOpened('tier')}>
          {texts.edit}
        </Button>
      ) : null}
      {actions.includes('freeze') ? (
        <Button variant="outline" className={quietDanger} onClick={() => setOpened('freeze')}>
          {texts.freeze.button}
        </Button>
      ) : null}
      {actions.includes('unfreeze') ? (
        <Button onClick={() => setOpened('unfreeze')}>{texts.unfreeze.button}</Button>
      ) : null}
      {opened === 'tier' ? <CustomerEdit customer={customer} onClose={() => setOpened(undefined)} /> : null}
      {opened === 'freeze' || opened === 'unfreeze' ? (
        <Freeze customer={customer} action={opened} onClose={() => setOpened(undefined)} />
      ) : null}
    </div>
  )
}

interface FreezeProps {
  customer: AdminCustomerDetail
  action: 'freeze' | 'unfreeze'
  onClose: () => void
}

function Freeze({ customer, action, onClose }: FreezeProps) {
  const words = texts[action]
  const change = useAct(
    async (reason) => {
      const sent = { path: { id: customer.id }, body: { reason } }
      await (action === 'freeze' ? freezeCustomer(sent) : unfreezeCustomer(sent))
    },
    {
      said: () => ({ title: words.done }),
      failed: texts.failed,
      failedText: texts.failedText,
      changes: [['admin-customers']],
      onDone: onClose,
    },
  )
  return (
    <DecisionDialog
      title={words.title}
      text={words.text(customer.name ?? customer.email)}
      confirm={words.button}
      destructive={action === 'freeze'}
      reason={{ label: texts.reason, placeholder: texts.reasonPlaceholder }}
      decision={change}
      onClose={onClose}
    />
  )
}

function Standing({ customer }: { customer: AdminCustomerDetail }) {
  const { identity } = customer
  return (
    <Card>
      <CardTitle className="mb-4">{texts.identity}</CardTitle>
      <Facts>
        <Fact name={texts.id} wide>
          <code className="text-xs">{customer.id}</code>
        </Fact>
        <Fact name={texts.columns.country}>{customer.countryCode ?? texts.none}</Fact>
        <Fact name={texts.since}>
          <Time at={customer.createdAt} />
        </Fact>
        <Fact name={texts.level}>{identity ? texts.levels[identity.level] : texts.noIdentity}</Fact>
        {identity ? (
          <Fact name={texts.attempt}>
            {titled(identity.status)}{' '}
            <Link to="/admin/kyc/$id" params={{ id: customer.id }} className={textLink}>
              {texts.openCase}
            </Link>
          </Fact>
        ) : null}
        <Fact name={texts.columns.tier}>{texts.tiers[customer.volumeTier] ?? customer.volumeTier}</Fact>
        <Fact name={texts.columns.volume}>
          <Usd amount={customer.totalVolume30Days} />
        </Fact>
        {customer.frozenAt ? (
          <>
            <Fact name={texts.frozenSince}>
              <Time at={customer.frozenAt} />
            </Fact>
            <Fact name={texts.frozenWhy}>{customer.frozenReason}</Fact>
          </>
        ) : null}
      </Facts>
      <h3 className="mt-5 mb-2 text-sm font-semibold">{texts.flags}</h3>
      {customer.flags.length === 0 ? (
        <p className="text-sm text-muted-foreground">{texts.noFlags}</p>
      ) : (
        <ul className="flex flex-wrap gap-2">
          {customer.flags.map((flag) => (
            <li key={flag}>
              <StatusBadge look={{ label: texts.flag[flag] ?? spaced(flag), tone: 'danger' }} />
            </li>
          ))}
        </ul>
      )}
      <h3 className="mt-5 mb-2 text-sm font-semibold">{texts.stats}</h3>
      <CustomerFigures stats={customer.stats} />
    </Card>
  )
}

function CustomerNotes({ customer }: { customer: AdminCustomerDetail }) {
  const add = (body: string) => noteAboutCustomer({ path: { id: customer.id }, body: { body } })
  return (
    <Notes
      about={customer.id}
      notes={customer.notes}
      add={customer.actions.includes('note') ? add : undefined}
      onAdded={useReread()}
    />
  )
}

function Lines({ lines, none }: { lines: { key: string; line: ReactNode }[]; none: string }) {
  if (lines.length === 0) return <p className="text-sm text-muted-foreground">{none}</p>
  return (
    <ul className="divide-y text-sm">
      {lines.map(({ key, line }) => (
        <li key={key} className="py-2">
          {line}
        </li>
      ))}
    </ul>
  )
}

const row = 'flex flex-wrap items-baseline justify-between gap-x-4'

function Money({ customer }: { customer: AdminCustomerDetail }) {
  return (
    <Card>
      <CardTitle className="mb-4">{texts.money}</CardTitle>
      <Facts className="mb-4">
        <Fact name={texts.balance}>
          <Usd amount={customer.balance} />
        </Fact>
        <Fact name={texts.reserved}>
          <Usd amount={customer.reserved} />
        </Fact>
        <Fact name={texts.receivable}>
          <Usd amount={customer.receivable} />
        </Fact>
      </Facts>
      <Lines
        none={texts.noEntries}
        lines={customer.entries.map((entry) => ({
          key: entry.id,
          line: (
            <span className={row}>
              <span className="min-w-0 flex-1 basis-40">
                {entry.why} {entry.reference ? <code className="text-xs">{entry.reference}</code> : null}
              </span>
              <span className="text-xs text-muted-foreground">
                <Time at={entry.at} />
              </span>
              <span className="text-right tabular-nums sm:w-20">{signedUsd(entry.amount)}</span>
            </span>
          ),
        }))}
      />
    </Card>
  )
}

function Consents({ customer }: { customer: AdminCustomerDetail }) {
  return (
    <Card>
      <CardTitle className="mb-4">{texts.consents}</CardTitle>
      <Lines
        none={texts.noConsents}
        lines={customer.consents.map((consent) => ({
          key: `${consent.document} ${consent.version}`,
          line: (
            <span className={row}>
              <span>{texts.consent(titled(consent.document), consent.version)}</span>
              <span className="text-xs text-muted-foreground">
                {[consent.language, consent.atSignUp ? texts.consentAtSignUp : consent.addressPrefix]
                  .filter(Boolean)
                  .map((part) => `${part} · `)}
                <Time at={consent.givenAt} />
              </span>
            </span>
          ),
        }))}
      />
    </Card>
  )
}

const tradePages = {
  crypto_swap: '/admin/orders/$id',
  gift_card: '/admin/gift-cards/$id',
  voucher: undefined,
} as const

function Trades({ customer }: { customer: AdminCustomerDetail }) {
  return (
    <Card>
      <CardTitle className="mb-4">{texts.trades}</CardTitle>
      <Lines
        none={texts.noTrades}
        lines={customer.trades.map((trade) => {
          const page = tradePages[trade.kind]
          return {
            key: trade.id,
            line: (
              <span className={row}>
                <span className="min-w-0 flex-1 basis-36">
                  {texts.kinds[trade.kind]}{' '}
                  {page ? (
                    <Link to={page} params={{ id: trade.id }} className={cn(textLink, 'font-mono text-xs')}>
                      {trade.reference}
                    </Link>
                  ) : (
                    <code className="text-xs">{trade.reference}</code>
                  )}
                  <span className="block text-xs text-muted-foreground">
                    <Time at={trade.createdAt} />
                  </span>
                </span>
                <span className="whitespace-nowrap text-muted-foreground sm:w-34">
                  {historyLook({ ...trade, legacyStatus: trade.status }).label}
                </span>
                <Usd amount={trade.amount} className="text-right sm:w-20" />
              </span>
            ),
          }
        })}
      />
    </Card>
  )
}

function Tickets({ customer }: { customer: AdminCustomerDetail }) {
  return (
    <Card>
      <CardTitle className="mb-4">{texts.tickets}</CardTitle>
      <Lines
        none={texts.noTickets}
        lines={customer.tickets.map((ticket) => ({
          key: ticket.id,
          line: (
            <span className={row}>
              <Link
                to="/admin/support/$id"
                params={{ id: ticket.id }}
                className={cn(textLink, 'font-mono text-xs')}
              >
                {ticket.reference}
              </Link>
              <span className="min-w-0 flex-1">{titled(ticket.subject)}</span>
              <span className="text-muted-foreground">{titled(ticket.status)}</span>
              <span className="text-xs text-muted-foreground">
                <Time at={ticket.createdAt} />
              </span>
            </span>
          ),
        }))}
      />
    </Card>
  )
}

function Sessions({ customer }: { customer: AdminCustomerDetail }) {
  const again = useReread()
  const end = useMutation({
    mutationFn: () => signCustomerOut({ path: { id: customer.id } }),
    onSuccess: () => {
      toast({ title: texts.signedOut })
      again()
    },
    onError: (error) =>
      toast({ title: texts.failed, description: messageOf(error, texts.failedText), variant: 'destructive' }),
  })
  return (
    <Card>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-2">
        <CardTitle>{texts.sessions}</CardTitle>
        {customer.actions.includes('sign_out') && customer.sessions.length > 0 ? (
          <Button variant="outline" size="sm" disabled={end.isPending} onClick={() => end.mutate()}>
            {texts.signOut}
          </Button>
        ) : null}
      </div>
      <Lines
        none={texts.noSessions}
        lines={customer.sessions.map((session) => ({
          key: session.id,
          line: (
            <span className={row}>
              <span>
                {session.browser} {session.system}
              </span>
              <span className="text-xs text-muted-foreground">
                {session.ip} · <Time at={session.lastSeenAt} />
              </span>
            </span>
          ),
        }))}
      />
    </Card>
  )
}
