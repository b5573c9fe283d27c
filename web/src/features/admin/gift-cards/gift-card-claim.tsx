import { useState } from 'react'
import type { AdminGiftCardDetail } from '@/api/types.gen'
import { AmountField } from '@/components/form/amount-field'
import { usd } from '@/lib/format'
import { fieldMessage } from '@/lib/http'
import { isPositive } from '@/lib/money'
import { adminGiftCards as texts } from '@/messages/admin-gift-cards'
import { approvalsKey } from '../approvals/approval-query'
import { DecisionDialog } from '../shared/decision-dialog'
import { ReferenceField } from '../shared/reference-field'
import { type Act, useAct } from '../shared/use-act'
import { cardClaims } from './queries'

export type ClaimAction = 'claim' | 'reverse_claim'

interface GiftCardClaimDialogProps {
  card: AdminGiftCardDetail
  action: ClaimAction
  onClose: () => void
}

/** The dialog that proposes to claim a used card from its customer, or to reverse the claim. */
export function GiftCardClaimDialog({ action, ...props }: GiftCardClaimDialogProps) {
  return action === 'claim' ? <Claim {...props} /> : <Reverse {...props} />
}

type OneProps = Omit<GiftCardClaimDialogProps, 'action'>

const customerOf = (card: AdminGiftCardDetail) => card.customerName || card.customerEmail

/** One proposal: it waits for another person and changes nothing before. */
function useProposal(propose: (reason: string) => Promise<unknown>, onClose: () => void): Act {
  return useAct(propose, {
    said: () => ({ title: texts.proposed, description: texts.proposedText }),
    failed: texts.failed,
    failedText: texts.failedText,
    changes: [['admin-gift-cards'], ['admin-money'], approvalsKey],
    onDone: onClose,
  })
}

function Claim({ card, onClose }: OneProps) {
  const lost = card.lost && isPositive(card.lost) ? card.lost : '0'
  const [amount, setAmount] = useState(isPositive(lost) ? lost : '')
  const [moved, setMoved] = useState('')
  const [reference, setReference] = useState('')
  const decide = useProposal(
    (reason) =>
      cardClaims.claim(card.id, { amount, takenBack: moved, bankReference: reference.trim(), reason }),
    onClose,
  )
  return (
    <DecisionDialog
      title={texts.claimTitle}
      text={texts.claimText(card.reference, customerOf(card))}
      confirm={texts.claim}
      destructive
      reason={{ label: texts.claimReason, placeholder: texts.claimPlaceholder }}
      incomplete={!isPositive(amount)}
      decision={decide}
      onClose={onClose}
    >
      <div className="mb-4 space-y-4">
        <AmountField
          id="claim-amount"
          label={texts.claimAmount}
          hint={texts.claimHint(usd(lost))}
          error={fieldMessage(decide.error, 'amount')}
          unit="USD"
          decimals={2}
          positive
          value={amount}
          onChange={setAmount}
        />
        {card.realisedAmount && isPositive(card.realisedAmount) ? (
          <Moved
            label={texts.takenBack}
            field="takenBack"
            error={decide.error}
            {...{ moved, setMoved, reference, setReference }}
          />
        ) : null}
      </div>
    </DecisionDialog>
  )
}

function Reverse({ card, onClose }: OneProps) {
  const [moved, setMoved] = useState('')
  const [reference, setReference] = useState('')
  const decide = useProposal(
    (reason) => cardClaims.reverse(card.id, { paidAgain: moved, bankReference: reference.trim(), reason }),
    onClose,
  )
  return (
    <DecisionDialog
      title={texts.reverseTitle}
      text={texts.reverseText(usd(card.claim?.amount), customerOf(card))}
      confirm={texts.reverseClaim}
      reason={{ label: texts.claimReason, placeholder: texts.reversePlaceholder }}
      decision={decide}
      onClose={onClose}
    >
      <div className="mb-4 space-y-4">
        <Moved
          label={texts.paidAgain}
          field="paidAgain"
          error={decide.error}
          {...{ moved, setMoved, reference, setReference }}
        />
      </div>
    </DecisionDialog>
  )
}

interface MovedProps {
  label: string
  field: 'takenBack' | 'paidAgain'
  error: Error | null
  moved: string
  setMoved: (amount: string) => void
  reference: string
  setReference: (reference: string) => void
}

/** What the card's buyer took back of the proceeds, or paid after the claim, with the bank's reference. */
function Moved({ label, field, error, moved, setMoved, reference, setReference }: MovedProps) {
  return (
    <>
      <AmountField
        id="claim-moved"
        label={label}
        error={fieldMessage(error, field)}
        unit="USD"
        decimals={2}
        value={moved}
        onChange={setMoved}
      />
      <ReferenceField
        id="claim-reference"
        label={texts.moneyReference}
        error={fieldMessage(error, 'bankReference')}
        value={reference}
        onChange={setReference}
      />
    </>
  )
}
