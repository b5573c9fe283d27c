import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { JournalEntryLine } from '@/api/types.gen'
import { AmountField } from '@/components/form/amount-field'
import { Field } from '@/components/form/field'
import { MoreButton } from '@/components/form/more-button'
import { PageHead } from '@/components/layout/page'
import { Failed, LoadingRows } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { Input, Select } from '@/components/ui/input'
import { isPositive } from '@/lib/money'
import { rowsOf } from '@/lib/paging'
import { useSignedInUser } from '@/lib/session'
import { adminLedger } from '@/messages/admin-books'
import { adminMoney as texts } from '@/messages/admin-money'
import { currencies } from '../shared/book'
import { DecisionDialog } from '../shared/decision-dialog'
import { KeyedRows } from '../shared/list-frame'
import { useAct } from '../shared/use-act'
import { ProposalRow } from './money-proposals'
import { enterJournal, journalsQuery, moneyKey } from './queries'

const words = texts.journal

/** Manual entries in the books: what was proposed and booked, and the way to a new one. */
export function JournalScreen() {
  const list = useInfiniteQuery(journalsQuery)
  const rows = rowsOf(list.data?.pages)
  const [entering, setEntering] = useState(false)
  const { permissions } = useSignedInUser()
  return (
    <>
      <PageHead
        title={words.title}
        lead={words.lead}
        actions={
          permissions.includes('decide_payments') ? (
            <Button size="sm" onClick={() => setEntering(true)}>
              {words.new}
            </Button>
          ) : null
        }
      />
      {list.error ? (
        <Failed
          className="mb-4"
          title={texts.proposalsFailed}
          error={list.error}
          retry={() => void list.refetch()}
        />
      ) : null}
      {list.isPending ? <LoadingRows rows={3} /> : null}
      <Card>
        <CardTitle className="mb-3">{words.past}</CardTitle>
        {list.data && rows.length === 0 ? (
          <p className="text-sm text-muted-foreground">{words.none}</p>
        ) : null}
        <KeyedRows rows={rows}>
          <ul className="divide-y">
            {rows.map((proposal) => (
              <ProposalRow key={proposal.id} proposal={proposal} />
            ))}
          </ul>
        </KeyedRows>
        <MoreButton query={list} />
      </Card>
      {entering ? <JournalDialog onClose={() => setEntering(false)} /> : null}
    </>
  )
}

interface Line extends JournalEntryLine {
  key: number
}

const fresh = (key: number): Line => ({ key, from: '', to: '', currency: 'USD', amount: '' })

function JournalDialog({ onClose }: { onClose: () => void }) {
  const [lines, setLines] = useState<readonly Line[]>([fresh(0)])
  const [file, setFile] = useState<File>()
  const enter = useAct(
    (reason) =>
      enterJournal(
        lines.map(({ from, to, currency, amount }) => ({
          from: from.trim(),
          to: to.trim(),
          currency,
          amount,
        })),
        file as File, // the button waits for it
        reason,
      ),
    {
      said: () => ({ title: words.done }),
      failed: texts.failed,
      failedText: texts.failedText,
      changes: [moneyKey],
      onDone: onClose,
    },
  )
  const change = (key: number, part: Partial<Line>) =>
    setLines((before) => before.map((line) => (line.key === key ? { ...line, ...part } : line)))
  return (
    <DecisionDialog
      title={words.new}
      text={words.lead}
      confirm={texts.actions.propose}
      reason={{ label: texts.reason, placeholder: texts.reasonPlaceholder }}
      incomplete={
        !file || lines.some(({ from, to, amount }) => !from.trim() || !to.trim() || !isPositive(amount))
      }
      decision={enter}
      onClose={onClose}
    >
      <div className="mb-4 space-y-4">
        <datalist id="journal-accounts">
          {Object.entries(adminLedger.accounts)
            .filter(([account]) => !account.startsWith('customers:'))
            .map(([account, label]) => (
              <option key={account} value={account} label={label} />
            ))}
        </datalist>
        {lines.map((line, index) => (
          <fieldset key={line.key} className="space-y-3 rounded-md border p-3">
            <legend className="px-1 text-sm">{words.line(index + 1)}</legend>
            <JournalLine line={line} onChange={(part) => change(line.key, part)} />
            {lines.length > 1 ? (
              <Button
                type="button"
                variant="outline"
                size="sm"
                onClick={() => setLines((before) => before.filter(({ key }) => key !== line.key))}
              >
                {words.remove}
              </Button>
            ) : null}
          </fieldset>
        ))}
        <Button
          type="button"
          variant="outline"
          size="sm"
          disabled={lines.length >= 20}
          onClick={() =>
            setLines((before) => [...before, fresh(Math.max(...before.map(({ key }) => key)) + 1)])
          }
        >
          {words.add}
        </Button>
        <Field id="journal-document" label={words.document}>
          {(field) => (
            <Input
              {...field}
              type="file"
              accept="image/jpeg,image/png"
              onChange={(event) => setFile(event.target.files?.[0])}
            />
          )}
        </Field>
      </div>
    </DecisionDialog>
  )
}

function JournalLine({ line, onChange }: { line: Line; onChange: (part: Partial<Line>) => void }) {
  const id = `journal-${line.key}`
  return (
    <>
      {(['from', 'to'] as const).map((side) => (
        <Field
          key={side}
          id={`${id}-${side}`}
          label={words[side]}
          hint={side === 'to' ? words.accountHint : undefined}
        >
          {(field) => (
            <Input
              {...field}
              list="journal-accounts"
              autoComplete="off"
              spellCheck={false}
              value={line[side]}
              onChange={(event) => onChange({ [side]: event.target.value })}
            />
          )}
        </Field>
      ))}
      <div className="grid grid-cols-2 gap-3">
        <Field id={`${id}-currency`} label={words.currency}>
          {(field) => (
            <Select
              {...field}
              value={line.currency}
              onChange={(event) => onChange({ currency: event.target.value as Line['currency'] })}
            >
              {currencies.map((currency) => (
                <option key={currency} value={currency}>
                  {currency}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <AmountField
          id={`${id}-amount`}
          label={words.amount}
          unit={line.currency}
          positive
          value={line.amount}
          onChange={(amount) => onChange({ amount })}
        />
      </div>
    </>
  )
}
