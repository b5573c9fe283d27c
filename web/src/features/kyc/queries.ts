import { queryOptions } from '@tanstack/react-query'
import { applyForEnhanced, createKycToken, getKycStatus, listKycLevels, renewKyc } from '@/api/sdk.gen'

/** specification §9: every 5 s on the KYC screen and every 30 s on the dashboard. */
export const KYC_POLL_MS = { dashboard: 30_000, screen: 5_000 } as const

/** It never stops: approval can be withdrawn. */
export function kycQuery(on: keyof typeof KYC_POLL_MS) {
  return queryOptions({
    queryKey: ['kyc'],
    queryFn: async ({ signal }) => (await getKycStatus({ signal })).data,
    refetchInterval: KYC_POLL_MS[on],
    staleTime: 0,
  })
}

/** What each level allows. */
export const kycLevelsQuery = queryOptions({
  queryKey: ['kyc', 'levels'],
  queryFn: async ({ signal }) => (await listKycLevels({ signal })).data,
})

export async function requestToken(): Promise<string> {
  const { data } = await createKycToken()
  return data.token
}

/** Applies for the higher level and opens its widget. */
export async function requestEnhanced(): Promise<string> {
  await applyForEnhanced()
  return requestToken()
}

export async function requestRenewal() {
  return (await renewKyc()).data
}
