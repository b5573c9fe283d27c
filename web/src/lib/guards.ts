import type { QueryClient } from '@tanstack/react-query'
import { notFound } from '@tanstack/react-router'
import { userQuery } from './session'

interface GuardContext {
  queryClient: QueryClient
}

/** Protected screens: a visitor sees the 404 page with its sign-in link (rules §6). */
export function requireUser({ queryClient }: GuardContext): void {
  if (!queryClient.getQueryData(userQuery.queryKey)) throw notFound()
}

/** Admin screens: anyone without a role sees the 404 page. */
export function requireAdmin({ queryClient }: GuardContext): void {
  if (!queryClient.getQueryData(userQuery.queryKey)?.isAdmin) throw notFound()
}
