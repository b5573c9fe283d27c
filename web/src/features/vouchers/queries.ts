import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { getVoucher, listVouchers, redeemVoucher, validateVoucher } from '@/api/sdk.gen'
import type { RedeemedVoucher, VoucherEstimate, VoucherFound } from '@/api/types.gen'
import { crypto, usd } from '@/lib/format'
import { toPage } from '@/lib/paging'
import { vouchers as texts } from '@/messages/vouchers'

/** As often as orders; events make it sooner. */
const POLL_MS = 10_000

export const vouchersQuery = infiniteQueryOptions({
  queryKey: ['vouchers'],
  queryFn: async ({ pageParam, signal }) =>
    toPage(await listVouchers({ query: pageParam ? { cursor: pageParam } : {}, signal })),
  initialPageParam: '',
  getNextPageParam: (last) => last.next,
  refetchInterval: POLL_MS,
  staleTime: 0,
})

export function isOver(voucher: RedeemedVoucher): boolean {
  return voucher.status === 'restored' || voucher.confirmedAt !== null
}

/** One redemption; polled until its crypto is confirmed, or the voucher is restored. */
export function voucherQuery(id: string) {
  return queryOptions({
    queryKey: ['voucher', id],
    queryFn: async ({ signal }) => (await getVoucher({ path: { id }, signal })).data,
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : POLL_MS),
    staleTime: 0,
  })
}

export async function validate(code: string) {
  return (await validateVoucher({ body: { code } })).data
}

export async function redeem(code: string, cryptoType: string, walletAddress: string, key: string) {
  const { data } = await redeemVoucher({
    body: { code, cryptoType, walletAddress: walletAddress.trim() },
    headers: { 'Idempotency-Key': key },
  })
  return data
}

/** What a voucher is worth, as people read it: "$100.00", "0.01 BTC". */
export function worthOf({ amount, currency }: { amount: string; currency: string }): string {
  return currency === 'USD' ? usd(amount) : `${crypto(amount)} ${currency}`
}

/** A voucher in a coin pays that coin whole; any other is converted when it is redeemed. */
export function whatItPays(voucher: VoucherFound, { cryptoType, amount }: VoucherEstimate): string {
  if (cryptoType === voucher.currency) return texts.exactly(crypto(voucher.amount), cryptoType)
  return amount ? texts.estimate(crypto(amount), cryptoType) : texts.noEstimate
}
