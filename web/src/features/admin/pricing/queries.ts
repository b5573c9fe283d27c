import { queryOptions } from '@tanstack/react-query'
import {
  addLocationPricing,
  changeLocationPricing,
  changeMethodPricing,
  getLocationPricing,
  listKycPricing,
  listMethodPricing,
  listPricingHistory,
  listVolumeTiers,
  previewMethodPricing,
  removeLocationPricing,
} from '@/api/admin.gen'
import type { LocationChange, MethodPricingChange, NewLocation } from '@/api/types.gen'
import { withCode } from '@/features/two-factor/step-up'
import { adminPricing as texts } from '@/messages/admin-pricing'
import { pagedQuery, polledQuery } from '../shared/polled'

const root = 'admin-pricing'
export const pricingKey = [root]

export const methodPricingQuery = polledQuery([root, 'methods'], (signal) => listMethodPricing({ signal }))

export const volumeTiersQuery = polledQuery([root, 'tiers'], (signal) => listVolumeTiers({ signal }))

export const kycPricingQuery = polledQuery([root, 'kyc'], (signal) => listKycPricing({ signal }))

export const locationPricingQuery = polledQuery([root, 'locations'], (signal) =>
  getLocationPricing({ signal }),
)

export const pricingHistoryQuery = (kind: 'payment_method' | 'country') =>
  pagedQuery([root, 'history'], { kind, limit: 20 }, (query, signal) => listPricingHistory({ query, signal }))

/** What a change would cost; it changes nothing. */
export function previewQuery(id: string, body: MethodPricingChange | undefined) {
  return queryOptions({
    queryKey: [root, 'preview', id, body],
    queryFn: async ({ signal }) =>
      (await previewMethodPricing({ path: { id }, body: body as MethodPricingChange, signal })).data,
    enabled: body !== undefined,
    staleTime: 0,
    gcTime: 0,
  })
}

export const changeMethod = async (id: string, body: MethodPricingChange, code?: string) =>
  (await changeMethodPricing({ path: { id }, body, ...withCode(code) })).data

export const addLocation = async (body: NewLocation, code?: string) =>
  (await addLocationPricing({ body, ...withCode(code) })).data

export const changeLocation = async (id: string, body: LocationChange, code?: string) =>
  (await changeLocationPricing({ path: { id }, body, ...withCode(code) })).data

export const removeLocation = async (id: string, version: number, reason: string, code?: string) => {
  await removeLocationPricing({ path: { id }, body: { version, reason }, ...withCode(code) })
}

const countryNames = new Intl.DisplayNames(['en'], { type: 'region' })

export function countryName(code: string): string {
  return countryNames.of(code) ?? code
}

/** The codes in the order of their names. */
export function byName(codes: readonly string[]): string[] {
  return [...codes].sort((a, b) => countryName(a).localeCompare(countryName(b)))
}

/** Where a method is offered, in words. */
export function offeredIn(codes: readonly string[]): string {
  return byName(codes).map(countryName).join(', ') || texts.everywhere
}
