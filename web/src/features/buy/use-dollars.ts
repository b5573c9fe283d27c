import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { HttpError } from '@/lib/http'
import { cryptoFor, isPositive } from '@/lib/money'
import { amountDecimals } from '@/lib/offer'
import { ratesQuery } from '../pricing/queries'
import type { BuyDraft } from './draft'

const bounds = ['below_minimum', 'above_maximum']

/** Dollars become coin at the current price, and follow it until the purchase is being confirmed. */
export function useDollars(
  draft: BuyDraft,
  setDraft: (change: (before: BuyDraft) => BuyDraft) => void,
  { frozen, error }: { frozen: boolean; error: unknown },
): void {
  const client = useQueryClient()
  const { data: rates } = useQuery(ratesQuery)
  const { fiat, asset, amount } = draft
  const rate = rates?.[asset]
  useEffect(() => {
    if (fiat === undefined || frozen) return
    const known = isPositive(fiat) && rate !== undefined && isPositive(rate)
    const coin = known ? cryptoFor(fiat, rate, amountDecimals[asset]) : ''
    if (coin !== amount) setDraft((before) => ({ ...before, amount: coin }))
  }, [fiat, asset, amount, rate, frozen, setDraft])
  const code = fiat !== undefined && error instanceof HttpError ? error.code : ''
  useEffect(() => {
    if (bounds.includes(code)) void client.invalidateQueries(ratesQuery)
  }, [client, code])
}
