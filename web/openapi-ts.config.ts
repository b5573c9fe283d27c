import { defineConfig } from '@hey-api/openapi-ts'

/** Headers that lib/http.ts adds to whatever needs them. */
const sentByItself = new Set(['x-csrf-token', 'x-page-owner'])

/**
 * `npm run generate`: types and calls of the HTTP contract; nothing in src/api is edited by hand. What staff alone call
 * (operations tagged `admin-…`) is written to admin.gen.ts, so that no customer's page loads it.
 */
export default defineConfig({
  input: process.env.OPENAPI ?? '../api/openapi.json',
  output: { path: 'src/api' },
  parser: {
    patch: {
      operations: (_, __, { parameters = [] }) => {
        for (let at = parameters.length - 1; at >= 0; at -= 1) {
          const one = parameters[at]
          if (one && 'name' in one && sentByItself.has(one.name)) parameters.splice(at, 1)
        }
      },
    },
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
