import { defineConfig } from '@hey-api/openapi-ts'

/** `npm run generate`: types and calls of the HTTP contract; nothing in src/api is edited by hand. */
export default defineConfig({
  input: process.env.OPENAPI ?? '../api/openapi.json',
  output: { path: 'src/api' },
  plugins: [
    '@hey-api/typescript',
    '@hey-api/sdk',
    { name: '@hey-api/client-fetch', throwOnError: true, runtimeConfigPath: '@/lib/api-config' },
  ],
})
