import type { CreateClientConfig } from '@/api/client.gen'
import { appFetch } from './http'

/** How the generated client reaches the server: by the one fetch that knows the house's rules. */
export const createClientConfig: CreateClientConfig = (config) => ({
  ...config,
  baseUrl: '',
  fetch: appFetch,
  throwOnError: true,
})
