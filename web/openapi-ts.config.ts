import { defineConfig } from '@hey-api/openapi-ts'

/**
 * `npm run generate`: types and calls of the HTTP contract; nothing in src/api is edited by hand. What staff alone call
 * (operations tagged `admin-…`) is written to admin.gen.ts, so that no customer's page loads it.
 */
export default defineConfig({
  input: process.env.OPENAPI ?? '../api/openapi.json',
  output: { path: 'src/api' },
  parser: {
    hooks: {
      symbols: {
        getFilePath: ({ meta }) =>
          meta?.category === 'sdk' && meta.tags?.some((tag) => tag.startsWith('admin-'))
            ? 'admin'
            : undefined,
      },
    },
  },
  plugins: [
    '@hey-api/typescript',
    '@hey-api/sdk',
    { name: '@hey-api/client-fetch', throwOnError: true, runtimeConfigPath: '@/lib/api-config' },
  ],
})
