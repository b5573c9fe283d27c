import { queryOptions } from '@tanstack/react-query'
import { createKycToken, getKycStatus } from '@/api/sdk.gen'

/** SPEC §9: every 5 s on the KYC screen and every 30 s on the dashboard. It never stops: approval can be withdrawn. */
export function kycQuery(pollMs: number) {
  return queryOptions({
    queryKey: ['kyc'],
    queryFn: async ({ signal }) => (await getKycStatus({ signal })).data,
    refetchInterval: pollMs,
    staleTime: 0,
  })
}

export async function requestToken(): Promise<string> {
  const { data } = await createKycToken()
  return data.token
}
