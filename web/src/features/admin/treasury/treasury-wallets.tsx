import { Link } from '@tanstack/react-router'
import type { TreasuryWallet } from '@/api/types.gen'
import { StatusBadge } from '@/components/status/badge'
import type { StatusLook } from '@/components/status/status'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card } from '@/components/ui/card'
import { crypto } from '@/lib/format'
import { portion } from '@/lib/money'
import { adminTreasury as texts } from '@/messages/admin-treasury'
import { Fact, Facts } from '../shared/facts'
import { Fold } from '../shared/fold'
import { amountOf, networkName } from './queries'

interface WalletsProps {
  wallets: readonly TreasuryWallet[]
  onMove: ((wallet: TreasuryWallet) => void) | undefined
}

/** Each wallet against what is promised out of it. */
export function TreasuryWallets({ wallets, onMove }: WalletsProps) {
  return (
    <section aria-labelledby="treasury-wallets">
      <Fold id="treasury-wallets" title={texts.wallets} first>
        <p className="mt-1 mb-4 max-w-prose text-sm text-muted-foreground">{texts.walletsLead}</p>
        <ul className="grid grid-cols-1 gap-4 lg:grid-cols-2 xl:grid-cols-3">
          {wallets.map((wallet) => (
            <li key={`${wallet.asset}/${wallet.network}`}>
              <Wallet wallet={wallet} onMove={onMove} />
            </li>
          ))}
        </ul>
      </Fold>
    </section>
  )
}

const nothing = (amount: string) => /^-?0*(\.0*)?$/.test(amount)

function lookOf({ isLow, low, short }: TreasuryWallet): StatusLook {
  if (!nothing(short)) return { label: texts.short, tone: 'danger' }
  if (isLow) return { label: texts.low, tone: 'pending' }
  return low === null ? { label: texts.notFilled, tone: 'neutral' } : { label: texts.enough, tone: 'success' }
}

function Wallet({ wallet, onMove }: { wallet: TreasuryWallet; onMove: WalletsProps['onMove'] }) {
  const { asset, network, free, needed, waiting, reserved, inTransit, exchange, short } = wallet
  const say = (amount: string) => amountOf(amount, asset)
  const name = `${asset} · ${networkName(network)}`
  return (
    <Card aria-label={name} className="flex h-full flex-col gap-2 md:gap-4 md:p-5">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <h3 className="text-sm text-muted-foreground">{name}</h3>
        <StatusBadge look={lookOf(wallet)} />
      </div>
      <p className="text-xl font-semibold tabular-nums">
        {say(free)}{' '}
        <span className="block text-sm font-normal text-muted-foreground">{texts.free.toLowerCase()}</span>
      </p>
      <Level wallet={wallet} />
      <Facts className="max-md:hidden">
        <Fact name={texts.needed}>{waiting === 0 ? say(needed) : texts.neededOf(say(needed), waiting)}</Fact>
        <Fact name={texts.reserved}>{say(reserved)}</Fact>
        <Fact name={texts.inTransit}>{say(inTransit)}</Fact>
        <Fact name={texts.atExchange}>{say(exchange)}</Fact>
      </Facts>
      {nothing(short) ? null : <p className="text-sm text-danger-text">{texts.shortBy(say(short))}</p>}
      <Way wallet={wallet} onMove={onMove} />
    </Card>
  )
}

/** How full the wallet is on the way to its target, with the mark below which it is low. */
function Level({ wallet: { asset, free, needed, low, target, isLow } }: { wallet: TreasuryWallet }) {
  if (low === null || target === null) return null
  const say = (amount: string) => amountOf(amount, asset)
  const width = (amount: string) => `${portion(amount, target) * 100}%`
  return (
    <div>
      <div
        role="img"
        aria-label={texts.bar(say(free), say(needed), say(target))}
        className="relative h-2 overflow-hidden rounded-full bg-muted"
      >
        <div
          className={isLow ? 'h-full rounded-full bg-pending-text' : 'h-full rounded-full bg-success-text'}
          style={{ width: width(free) }}
        />
        <div className="absolute inset-y-0 left-0 bg-primary/50" style={{ width: width(needed) }} />
        <div className="absolute inset-y-0 w-0.5 bg-foreground" style={{ left: width(low) }} />
      </div>
      <p className="mt-1 text-xs text-muted-foreground">
        {texts.lowBelow(crypto(low))}, {texts.filledTo(crypto(target))}
      </p>
    </div>
  )
}

/** The next step: the move in progress, the suggested one, or any. */
function Way({ wallet, onMove }: { wallet: TreasuryWallet; onMove: WalletsProps['onMove'] }) {
  const { asset, network, openMove, suggested, low } = wallet
  const which = <span className="sr-only"> {`${asset} · ${networkName(network)}`}</span>
  if (openMove)
    return (
      <Link
        to="/admin/treasury/$id"
        params={{ id: openMove }}
        className={buttonVariants({ variant: 'outline', size: 'sm', className: 'mt-auto self-start' })}
      >
        {texts.underWay}
        {which}
      </Link>
    )
  if (!onMove || low === null) return null
  return (
    <Button
      variant={suggested ? 'default' : 'outline'}
      size="sm"
      className="mt-auto self-start"
      onClick={() => onMove(wallet)}
    >
      {suggested ? texts.move(amountOf(suggested, asset)) : texts.moveAny}
      {which}
    </Button>
  )
}
