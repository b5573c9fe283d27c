import { queryOptions } from '@tanstack/react-query'
import {
  askForData,
  askToClose,
  correctName,
  getAccountRights,
  getProfile,
  keepAccount,
  restrictAccount,
  setPreferences,
} from '@/api/sdk.gen'
import type { NewPreferences, Profile } from '@/api/types.gen'
import { withCode } from '@/features/two-factor/step-up'

const COLLECTING_MS = 3_000

export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: async ({ signal }) => (await getProfile({ signal })).data,
  staleTime: 0,
})

/** Read again while a copy is being made; its event makes it sooner. */
export const rightsQuery = queryOptions({
  queryKey: ['data-exports'],
  queryFn: async ({ signal }) => (await getAccountRights({ signal })).data,
  refetchInterval: ({ state }) => (state.data?.export?.status === 'requested' ? COLLECTING_MS : false),
  staleTime: 0,
})

export const rename = async (firstName: string, lastName: string) =>
  (await correctName({ body: { firstName, lastName } })).data

/** What is chosen now, as a new choice starts from it. */
export const preferencesOf = (profile: Profile): NewPreferences => ({
  language: profile.language,
  muted: profile.topics.filter((entry) => !entry.wanted).map((entry) => entry.topic),
  news: profile.news,
})

export const choose = async (preferences: NewPreferences) =>
  (await setPreferences({ body: preferences })).data

export const rights = {
  copy: async (code?: string) => (await askForData(withCode(code))).data,
  restrict: async (restricted: boolean) => (await restrictAccount({ body: { restricted } })).data,
  close: async (code?: string) => (await askToClose(withCode(code))).data,
  keep: async () => (await keepAccount()).data,
}
