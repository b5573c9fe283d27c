import { CircleAlert } from 'lucide-react'
import type { Approval } from '@/api/types.gen'
import { FullAddress } from '@/components/money/full-address'
import { Notice } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { textLink } from '@/components/ui/text-link'
import { crypto, figure, MISSING, usd } from '@/lib/format'
import { adminApprovals as texts } from '@/messages/admin-approvals'
import { methodLabels } from '@/messages/common'
import { accountName, debitAndCredit } from '../shared/account-name'
import { calendarDay } from '../shared/calendar-day'
import { Fact, Facts } from '../shared/facts'
import { ObjectLink } from '../shared/object-link'

/** The amount with its currency; of a journal entry the lines have it. */
export function amountOf({ amount, currency }: Pick<Approval, 'amount' | 'currency'>): string {
  if (!amount) return MISSING
  return currency === 'USD' ? usd(amount) : `${crypto(amount)} ${currency}`
}

/** The crypto that it is about, beside its amount. */
export const coinsOf = ({ coins, asset }: Pick<Approval, 'coins' | 'asset'>) =>
  coins ? `${crypto(coins)} ${asset}` : ''

/** The bank line in one line. */
export const bankLineOf = ({ bankReference, bankDate, bankSender }: Approval) =>
  [bankReference, bankDate && calendarDay(bankDate), bankSender].filter(Boolean).join(' · ')

const days: readonly string[] = ['returnDate', 'requested', 'expires', 'made']
const methods: readonly string[] = ['paidBy', 'rail']

/** The value of a further fact, in the words of the pages. */
export function detailText(name: string, value: string): string {
  if (days.includes(name)) return calendarDay(value) ?? value
  if (methods.includes(name)) return methodLabels[value as keyof typeof methodLabels] ?? value
  if (name === 'account') return accountName(value)
  if (value === 'yes') return texts.yes
  if (value === 'no') return texts.no
  return value.replaceAll('_', ' ')
}

/** All that an approver needs. The list, the details and the dialog show the same. */
export function ApprovalFacts({ approval }: { approval: Approval }) {
  const { customerId, customer, customerEmail, objectKind, objectId, reference, details, lines } = approval
  const network = details.find(({ name }) => name === 'network')?.value ?? ''
  return (
    <Facts>
      {lines.length > 0 ? null : (
        <Fact name={texts.amount}>
          <span className="font-medium tabular-nums">{amountOf(approval)}</span>
        </Fact>
      )}
      {coinsOf(approval) ? <Fact name={texts.crypto}>{coinsOf(approval)}</Fact> : null}
      {customerId ? (
        <Fact name={texts.customer}>
          <ObjectLink kind="user" id={customerId}>
            <bdi>{customer}</bdi>
          </ObjectLink>
          {customerEmail === customer ? null : <bdi className="block">{customerEmail}</bdi>}
        </Fact>
      ) : null}
      {reference ? (
        <Fact name={texts.about}>
          <ObjectLink kind={objectKind} id={objectId}>
            {reference}
          </ObjectLink>
        </Fact>
      ) : null}
      {approval.bankReference ? <Fact name={texts.bankReference}>{approval.bankReference}</Fact> : null}
      {approval.bankDate ? <Fact name={texts.bankDate}>{calendarDay(approval.bankDate)}</Fact> : null}
      {approval.bankSender ? (
        <Fact name={texts.bankSender}>
          <bdi>{approval.bankSender}</bdi>
        </Fact>
      ) : null}
      {details.map(({ name, value }) => (
        <Fact key={name} name={texts.facts[name] ?? name} wide={name === 'address' || name === 'newAddress'}>
          {name === 'address' || name === 'newAddress' ? (
            <FullAddress address={value} network={network} />
          ) : (
            detailText(name, value)
          )}
        </Fact>
      ))}
      {lines.length > 0 ? (
        <Fact name={texts.lines} wide>
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a proposal do not change
            <p key={index} className="tabular-nums">
              {debitAndCredit(line)} · {figure(line.amount)} {line.currency}
            </p>
          ))}
        </Fact>
      ) : null}
      <Fact name={texts.reason} wide>
        {approval.reason ? <q>{approval.reason}</q> : texts.noReason}
      </Fact>
      <Fact name={texts.proposer}>
        <bdi>{approval.proposer || texts.system}</bdi>
      </Fact>
      <Fact name={texts.since}>
        <Time at={approval.since} />
      </Fact>
      {approval.documentId ? (
        <Fact name={texts.document}>
          <a
            href={`/api/admin/money/documents/${approval.documentId}`}
            target="_blank"
            rel="noreferrer"
            className={textLink}
          >
            {texts.openDocument}
          </a>
        </Fact>
      ) : null}
      <Fact name={texts.who} wide>
        <WhoMay approval={approval} />
      </Fact>
    </Facts>
  )
}

/** Whether the reader may decide, and when nobody may: which rule bars whom. */
export function WhoMay({ approval: { mayDecide, rule, eligible, barred } }: { approval: Approval }) {
  return (
    <>
      <span>{mayDecide || !rule ? texts.decide : texts.rules[rule]}</span>
      {eligible === 0 ? (
        <Notice tone="danger" icon={CircleAlert} title={texts.nobody} className="mt-2">
          {barred.length > 0 ? (
            <ul className="list-disc pl-5">
              {barred.map(({ name, text }) => (
                <li key={name}>{text}</li>
              ))}
            </ul>
          ) : (
            texts.noRole
          )}
        </Notice>
      ) : null}
    </>
  )
}
