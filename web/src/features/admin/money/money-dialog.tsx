import { useState } from 'react'
import { AmountField } from '@/components/form/amount-field'
import { Field } from '@/components/form/field'
import { Input, Select } from '@/components/ui/input'
import { fieldMessage } from '@/lib/http'
import { isPositive } from '@/lib/money'
import { serverNow } from '@/lib/server-clock'
import { adminMoney as texts } from '@/messages/admin-money'
import { methodLabels } from '@/messages/common'
import { approvalsKey } from '../approvals/approval-query'
import { useSeen, WhatChanged } from '../approvals/seen'
import { DecisionDialog } from '../shared/decision-dialog'
import { orderKeys } from '../shared/order-decisions'
import { ReferenceField } from '../shared/reference-field'
import { StatementField } from '../shared/restored-notice'
import { useAct } from '../shared/use-act'
import { useStepUpAct } from '../shared/use-step-up-act'
import { decideMoney, type MoneyActName, moneyActs, moneyKey, type ProposalAction } from './queries'

type FieldName = keyof typeof texts.fields

/** The fields of each act, besides its reason. */
const asks: Readonly<Record<MoneyActName, readonly FieldName[]>> = {
  open: ['amount', 'bankReference', 'receivedOn', 'rail', 'sender', 'note'],
  place: ['order'],
  credit: ['customer'],
  send_back: ['bankReference', 'sentOn'],
  reverse: ['where', 'order'],
  return: ['amount', 'bankReference', 'returnedOn', 'code'],
  recall: ['amount', 'bankReference', 'returnedOn', 'code'],
  reinstate: ['bankReference', 'reinstatedOn'],
}

const optional: readonly FieldName[] = ['sender', 'note']
const days: readonly FieldName[] = ['receivedOn', 'returnedOn', 'reinstatedOn', 'sentOn']
const rails = Object.keys(methodLabels).filter((rail) => rail !== 'card' && rail !== 'balance')
const today = () => new Date(serverNow()).toISOString().slice(0, 10)

interface MoneyDialogProps {
  act: MoneyActName
  /** What it is about: a receipt, a return, unplaced money; none for a new case. */
  id: string
  /** Repeats what it is about, with its amount. */
  about: string
  amount?: string
  /** It is of a restored backup: what the bank's statement shows is asked for as well. */
  restored?: boolean
  onClose: () => void
}

/** The dialog to propose one act about money. */
export function MoneyDialog({ act, id, about, amount, restored, onClose }: MoneyDialogProps) {
  const [entered, setEntered] = useState<Record<string, string>>(() => ({
    ...Object.fromEntries(days.map((name) => [name, today()])),
    ...(amount ? { amount } : {}),
  }))
  const words = texts.dialogs[act]
  const done = useAct(async (reason) => (await moneyActs[act](id, entered, reason)).data, {
    said: () => ({ title: words.done }),
    failed: texts.failed,
    failedText: texts.failedText,
    changes: [moneyKey, ...orderKeys],
    onDone: onClose,
  })
  const fields = asks[act].filter(
    (name) => act !== 'reverse' || name !== 'order' || entered.where === 'order',
  )
  const readsStatement = restored && (act === 'place' || act === 'credit')
  const missing =
    (readsStatement && !entered.statement?.trim()) ||
    fields.some((name) =>
      name === 'amount'
        ? !isPositive(entered[name] ?? '')
        : !optional.includes(name) && !entered[name]?.trim(),
    )
  const enter = (name: string, value: string) => setEntered((before) => ({ ...before, [name]: value }))
  return (
    <DecisionDialog
      title={words.title}
      text={[about, words.text].filter(Boolean).join('. ')}
      confirm={act === 'open' ? texts.actions.open : texts.actions.propose}
      {...(act === 'open' ? {} : { reason: { label: texts.reason, placeholder: texts.reasonPlaceholder } })}
      incomplete={missing}
      decision={done}
      onClose={onClose}
    >
      <div className="mb-4 space-y-4">
        {fields.map((name) => (
          <MoneyField
            key={name}
            name={name}
            value={entered[name] ?? ''}
            error={fieldMessage(done.error, name)}
            onChange={(value) => enter(name, value)}
          />
        ))}
        {readsStatement ? (
          <StatementField
            id="money-statement"
            value={entered.statement ?? ''}
            onChange={(value) => enter('statement', value)}
          />
        ) : null}
      </div>
    </DecisionDialog>
  )
}

interface MoneyFieldProps {
  name: FieldName
  value: string
  error: string | undefined
  onChange: (value: string) => void
}

function MoneyField({ name, value, error, onChange }: MoneyFieldProps) {
  const id = `money-${name}`
  const label = texts.fields[name]
  if (name === 'bankReference' || name === 'order' || name === 'customer' || name === 'code')
    return <ReferenceField id={id} label={label} error={error} value={value} onChange={onChange} />
  if (name === 'amount')
    return <AmountField {...{ id, label, error, value, onChange }} unit="USD" decimals={2} positive />
  const choices: Readonly<Record<string, string>> | undefined =
    name === 'rail'
      ? Object.fromEntries(rails.map((rail) => [rail, methodLabels[rail] ?? rail]))
      : name === 'where'
        ? texts.places
        : undefined
  return (
    <Field id={id} label={label} error={error}>
      {(field) =>
        choices ? (
          <Select {...field} value={value} onChange={(event) => onChange(event.target.value)}>
            <option value="" disabled>
              {texts.choose}
            </option>
            {Object.entries(choices).map(([choice, said]) => (
              <option key={choice} value={choice}>
                {said}
              </option>
            ))}
          </Select>
        ) : (
          <Input
            {...field}
            {...(days.includes(name) ? { type: 'date' } : {})}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        )
      }
    </Field>
  )
}

interface ProposalDialogProps {
  id: string
  action: ProposalAction
  about: string
  onClose: () => void
}

/** The dialog in which a second admin decides, or the proposer withdraws. */
export function ProposalDialog({ id, action, about, onClose }: ProposalDialogProps) {
  const words = texts.dialogs[action]
  const seen = useSeen('money_proposal', id, action === 'approve')
  const decide = useStepUpAct((reason, code) => decideMoney(id, action, reason, seen.version, code), {
    asks: action === 'approve',
    said: () => ({ title: words.done }),
    failed: texts.failed,
    failedText: texts.failedText,
    changes: [moneyKey, approvalsKey, ['admin-payouts'], ...orderKeys],
    onDone: onClose,
  })
  return (
    <DecisionDialog
      title={words.title}
      incomplete={seen.incomplete}
      text={`${about}. ${words.text}`}
      confirm={texts.actions[action]}
      destructive={action === 'reject'}
      {...(action === 'approve'
        ? {}
        : { reason: { label: texts.reason, placeholder: texts.reasonPlaceholder } })}
      decision={decide}
      onClose={onClose}
    >
      {seen.facts}
      <WhatChanged error={decide.error} />
    </DecisionDialog>
  )
}
