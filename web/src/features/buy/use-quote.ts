import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useNow, useVisible } from '@/lib/clock'
import { isPositive } from '@/lib/money'
import { type HeldPrice, type PriceQuestion, pricingQuery } from './queries'

/** A person who is still typing does not need a price for each key. */
const TYPING_MS = 350

function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}

export interface Quote {
  price: HeldPrice | undefined
  /** Whole seconds that this price is still held. */
  secondsLeft: number
  expired: boolean
  loading: boolean
  error: unknown
  renew: () => void
}

/** The price for what is entered now, with the time it is held; renewed at its end unless `frozen`. */
export function useQuote(question: PriceQuestion, frozen: boolean): Quote {
  const amountAsset = useSettled(question.amountAsset.trim(), TYPING_MS)
  const asked = { ...question, amountAsset }
  const query = useQuery(pricingQuery(asked))
  const now = useNow(500)
  const wanted = isPositive(question.amountAsset) && question.paymentMethod !== ''
  const stale = amountAsset !== question.amountAsset.trim() || query.isPlaceholderData
  const price = wanted && !query.isError ? query.data : undefined
  const secondsLeft = price ? Math.max(0, Math.ceil((price.endsAt - now) / 1000)) : 0
  const expired = price !== undefined && price.endsAt <= now && !query.isFetching
  const visible = useVisible()
  const { refetch } = query
  useEffect(() => {
    if (expired && !frozen && visible) void refetch()
  }, [expired, frozen, visible, refetch])
  return {
    price: stale ? undefined : price,
    secondsLeft,
    expired,
    loading: wanted && (stale || query.isFetching),
    error: wanted && !stale ? query.error : null,
    renew: () => void refetch(),
  }
}
