import { clsx } from 'clsx'
import type { Asset } from '@/api/lists.gen'

interface Look {
  fill: string
  path: string
}

const looks: Record<string, Look> = {
  BTC: {
    fill: '#b35c00',
    path: 'M12 9h5.5a3.2 3.2 0 0 1 0 6.5H12m0 0h6a3.6 3.6 0 0 1 0 7.2H12M12 9v13.7M14.5 6.5V9m3-2.5V9m-3 13.7v2.5m3-2.5v2.5',
  },
  ETH: {
    fill: '#4a5fc1',
    path: 'M16 5.5 9.5 16.2 16 20l6.5-3.8L16 5.5ZM9.5 18.6 16 26.5l6.5-7.9L16 22.4l-6.5-3.8Z',
  },
  USDT: { fill: '#0f7a5c', path: 'M9.5 9.5h13M16 9.5v14M10 14.6c2 1.6 10 1.6 12 0' },
  USDC: {
    fill: '#1e62c4',
    path: 'M19.5 12.2c-.8-1.2-2-1.7-3.5-1.7-2 0-3.4 1-3.4 2.6 0 3.7 7 1.9 7 5.6 0 1.700-1.500 2.800-3.600 2.800-1.700 0-3-.6-3.800-1.900M16 8v2.500m0 11v2.500',
  },
} satisfies Record<Asset, Look>

/** The coin's mark; the name always stands beside it. */
export function Coin({ asset, className }: { asset: string; className?: string }) {
  const look = looks[asset]
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={clsx('shrink-0', className ?? 'size-8')}>
      <circle cx="16" cy="16" r="16" fill={look?.fill ?? '#5b6472'} />
      {look ? (
        <path
          d={look.path}
          fill="none"
          stroke="#fff"
          strokeWidth="1.9"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      ) : null}
    </svg>
  )
}
