import type { CreateClientConfig } from '@/api/client.gen'
import { appFetch } from './http'

/** How the generated client reaches the server: through `fetch` with the rules of http.ts. */
export const createClientConfig: CreateClientConfig = (config) => ({
  ...config,
  baseUrl: '',
  fetch: appFetch,
  throwOnError: true,
})
