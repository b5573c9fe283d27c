import { useQuery } from '@tanstack/react-query'
import { ArrowDownToLine } from 'lucide-react'
import { useState } from 'react'
import type { TreasuryWallet } from '@/api/types.gen'
import { PageHead } from '@/components/layout/page'
import { Failed, LoadingRows } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { adminTreasury as texts } from '@/messages/admin-treasury'
import { Freshness } from '../shared/freshness'
import type { MoveFilter } from './filters'
import { treasuryQuery } from './queries'
import { TreasuryAccounts } from './treasury-accounts'
import { TreasuryHistory } from './treasury-history'
import { TreasuryMoves } from './treasury-moves'
import { ProposeMove } from './treasury-propose'
import { TreasuryWallets } from './treasury-wallets'

interface TreasuryProps {
  filter: MoveFilter
  onFilter: (filter: MoveFilter) => void
}

/** Our own money: the wallets against what is promised, the providers against the books, and moves of coin. */
export function TreasuryScreen({ filter, onFilter }: TreasuryProps) {
  const treasury = useQuery(treasuryQuery)
  const [proposing, setProposing] = useState<TreasuryWallet | 'any'>()
  const { data } = treasury
  return (
    <>
      <PageHead
        title={texts.title}
        lead={texts.lead}
        actions={
          <>
            <Freshness of={treasury} />
            {data?.propose ? (
              <Button size="sm" onClick={() => setProposing('any')}>
                <ArrowDownToLine aria-hidden />
                {texts.propose}
              </Button>
            ) : null}
          </>
        }
      />
      {treasury.error ? (
        <Failed
          className="mb-4"
          title={texts.fetchFailed}
          error={treasury.error}
          retry={() => void treasury.refetch()}
        />
      ) : null}
      {treasury.isPending ? <LoadingRows rows={4} /> : null}
      <div className="space-y-2 md:space-y-8">
        {data ? (
          <>
            <TreasuryWallets
              wallets={data.wallets}
              onMove={data.propose ? (wallet) => setProposing(wallet) : undefined}
            />
            <TreasuryAccounts accounts={data.accounts} every={data.every} />
          </>
        ) : null}
        <TreasuryHistory filter={filter} onFilter={onFilter} />
        <TreasuryMoves filter={filter} onFilter={onFilter} />
      </div>
      {data && proposing ? (
        <ProposeMove
          wallets={data.wallets}
          first={proposing === 'any' ? undefined : proposing}
          onClose={() => setProposing(undefined)}
        />
      ) : null}
    </>
  )
}
