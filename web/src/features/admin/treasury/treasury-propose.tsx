import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Asset, Network } from '@/api/lists.gen'
import type { TreasuryWallet } from '@/api/types.gen'
import { AmountField } from '@/components/form/amount-field'
import { Field } from '@/components/form/field'
import { Select } from '@/components/ui/input'
import { compare, isPositive } from '@/lib/money'
import { adminTreasury as texts } from '@/messages/admin-treasury'
import { DecisionDialog } from '../shared/decision-dialog'
import { useAct } from '../shared/use-act'
import { amountOf, networkName, propose, treasuryKey } from './queries'

interface ProposeMoveProps {
  wallets: readonly TreasuryWallet[]
  first: TreasuryWallet | undefined
  onClose: () => void
}

const keyOf = ({ asset, network }: TreasuryWallet) => `${asset}/${network}`

/** The dialog that proposes a move to a wallet which is filled from the exchange and has no open one. */
export function ProposeMove({ wallets, first, onClose }: ProposeMoveProps) {
  const navigate = useNavigate()
  const choices = wallets.filter(({ low }) => low !== null)
  const [chosen, setChosen] = useState(first ?? choices[0])
  const [amount, setAmount] = useState(chosen?.suggested ?? '')
  const press = useAct(
    (reason) =>
      propose({
        asset: (chosen?.asset ?? 'BTC') as Asset,
        network: (chosen?.network ?? 'bitcoin') as Network,
        amount,
        reason,
      }),
    {
      said: () => ({ title: texts.proposed }),
      failed: texts.failed,
      failedText: texts.failedText,
      changes: [treasuryKey],
      onDone: ({ id }) => {
        onClose()
        void navigate({ to: '/admin/treasury/$id', params: { id } })
      },
    },
  )
  if (!chosen) return null
  const tooMuch = isPositive(amount) && compare(amount, chosen.exchange) > 0
  return (
    <DecisionDialog
      title={texts.propose}
      text={texts.proposeText}
      confirm={isPositive(amount) ? `${texts.propose}: ${amountOf(amount, chosen.asset)}` : texts.propose}
      reason={{ label: texts.reason, placeholder: texts.reasonPlaceholder }}
      incomplete={!isPositive(amount) || tooMuch}
      decision={press}
      onClose={onClose}
    >
      <div className="mb-4 grid gap-4 sm:grid-cols-2">
        <Field id="move-wallet" label={texts.wallet}>
          {(field) => (
            <Select
              {...field}
              value={keyOf(chosen)}
              onChange={(event) => {
                const next = choices.find((wallet) => keyOf(wallet) === event.target.value)
                setChosen(next)
                setAmount(next?.suggested ?? '')
              }}
            >
              {choices.map((wallet) => (
                <option key={keyOf(wallet)} value={keyOf(wallet)}>
                  {`${wallet.asset} · ${networkName(wallet.network)}`}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <AmountField
          id="move-amount"
          label={`${texts.amountField} (${chosen.asset})`}
          hint={texts.amountHint(amountOf(chosen.exchange, chosen.asset))}
          error={tooMuch ? texts.amountTooMuch : undefined}
          unit={chosen.asset}
          positive
          value={amount}
          onChange={setAmount}
        />
      </div>
    </DecisionDialog>
  )
}
