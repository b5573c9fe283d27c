import tailwindcss from '@tailwindcss/vite'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { inLanguage } from './scripts/in-language.ts'

const site = process.env.E2E_SITE_URL ?? 'http://localhost:8080'

/** One bundle is one language. English lies in dist, another in a folder there; `npm run build` makes all. */
const language = process.env.LOCALE ?? 'en'
const dist = language === 'en' ? 'dist' : `dist/${language}`

/** What changes data and what pages through it: no first view of a visitor does either. */
const moving =
  /node_modules\/@tanstack\/(query-core\/.*\/(mutationObserver|infiniteQueryObserver)|react-query\/.*\/(useMutation|useInfiniteQuery|infiniteQueryOptions)|react-router\/.*\/useBlocker)\.js/

/** Packages every page needs: one chunk, cached across releases. */
const foundation = /node_modules\/(react|react-dom|scheduler|@tanstack)\/|src\/jsx\//

/** The frame around every page, and what its first view shows: landing pages load nothing else of ours. */
const shell =
  /src\/(lib\/(http|connection|owner|drafts|session|sessions|toast|amount|login|live-updates|search|releases|theme|language)\.ts|messages\/(\w\w\/)?(common|layout|locale)\.ts|features\/pricing\/(public-prices|use-live-prices)\.ts|components\/(layout\/(?!page|account|connection|footers|visitor-footer|questions)|ui\/button-variants|money\/coin))|node_modules\/(clsx|class-variance-authority)\/|lucide-react\/dist\/esm\/(?!icons\/|lucide-react)|lucide-react\/dist\/esm\/icons\/(chevron-down|menu|x|monitor|moon|sun|arrow-right|banknote|building-2|building-complex|credit-card|landmark|life-buoy|shield|sparkles)\.m?js/

/** What every signed-in screen is made of: one chunk instead of thirty. */
const kit =
  /src\/components\/(ui\/(button|card|dialog|input|skeleton|table)\.tsx|states|money|status|form\/(?!tiles|file-tile)|layout\/(page|account-header))|src\/lib\/(cn|money|format|paging|copy|clock|guards|draft|claim)\.ts|src\/features\/support\/help-link\.tsx|src\/api\/(?!admin)|src\/features\/(admin\/([\w-]+\/filters|shared\/(queue-view|book))|transactions\/filter)\.ts|src\/messages\/(\w\w\/)?(account|form|status|orders|identity)\.ts|src\/features\/(orders|kyc|transactions|pricing|buy)\/(queries|sentences|texts|draft|use-actions)\.tsx?|node_modules\/(big\.js|tailwind-merge|lucide-react|@radix-ui\/react-(slot|compose-refs|collection|roving-focus))\//

/** Signs of single pages and of the back office alone: they come with what shows them, not with the kit. */
const signs =
  /lucide-react\/dist\/esm\/icons\/(alarm-clock|arrow-(down-to-line|right-left|up-down)|bell|bookmark|check-check|chevron-up|circle-pause|columns-3|ellipsis|eye|eye-off|file-(check|diff|lock)|image-plus|keyboard|layout-dashboard|log-in|mail-exclamation-point|maximize-2|minus|panel-left|rotate-ccw-clock|scan-qr-code|scroll-text|shield-off|sliders-horizontal|stamp|trending-(down|up)|upload|user-round-plus|users-round|zap|zoom-(in|out))\.m?js/

/** What both a customer's screens and the back office show: neither has to load the other for it. */
const shared =
  /src\/(lib\/files\.ts|components\/form\/file-tile\.tsx|messages\/(\w\w\/)?(order-story|support|gift-cards|two-factor|vouchers|payouts)\.ts|features\/(orders\/story\.ts|support\/(conversation\.tsx|looks\.ts|use-message\.ts)|two-factor\/(step-up\.tsx|recovery\.tsx|code-dialog\.tsx|recent-code\.ts|code-form\.tsx|queries\.ts)|(gift-cards|vouchers|payouts)\/(queries|form|looks|story)\.tsx?))/

/** What a customer is told wherever an order of theirs may wait. */
const waiting =
  /src\/(features\/(orders\/(hold-notice|action-needed)|confirm\/[\w-]+)\.tsx?|messages\/(\w\w\/)?(actions|confirm)\.ts)/

/** What the sections of the settings have in common. */
const settings =
  /src\/(features\/settings\/(frame|sections|queries|use-saving|use-preferences|of-profile)\.tsx?|messages\/(\w\w\/)?settings\.ts)/

/** What each page loads once it is there, to say it when nothing answers: without the kit, which no visitor has. */
const connection =
  /src\/components\/layout\/connection\.tsx|lucide-react\/dist\/esm\/icons\/(cloud-off|hourglass|rotate-cw)\.m?js/

/** Chunks of several pages (codeSplitting), whose names help whoever reads the budget. */
const named = new Set([
  'foundation',
  'shell',
  'kit',
  'shared',
  'settings',
  'waiting',
  'back-office',
  'vouchers',
  'connection',
])

/** Vouchers are the matter of few pages of staff's. */
const vouchers = /src\/(features\/admin\/vouchers\/|messages\/admin-vouchers)/

/** Gift cards are the matter of few pages of staff's, as vouchers are. */
const cards = /src\/(features\/admin\/gift-cards\/|messages\/admin-gift-cards)/

/** What pages of money say after a backup was restored. */
const restored = /src\/(features\/admin\/shared\/restored|messages\/admin-restored)/

/** Approvals are shown on their own page and on that of money; dialogs load them once they open. */
const approvals =
  /src\/(features\/admin\/approvals\/(?!seen\.|approval-query|filters)|features\/admin\/money\/money-proposals|messages\/admin-approvals)/

/** What the purchase page shares with payouts, the dashboard's card and with an identity's page. */
const buying = /src\/(components\/form\/tiles|features\/buy\/limits\.tsx|messages\/(\w\w\/)?buy\.ts)/

/** What the list of orders and an order's page share. */
const desk =
  /src\/(features\/admin\/orders\/(order-actions|answers|attention-notice|attempt|last-attempt)|messages\/admin-order)/

const office =
  /src\/(api\/admin|features\/admin\/(?!orders\/proposals|vouchers\/|gift-cards\/|shared\/(book-frame|restored)|approvals\/(?!seen\.|approval-query|filters))|messages\/admin(?!-vouchers|-gift-cards|-restored|-order|-mails|-less-coin|-payments|-approvals)|components\/ui\/switch)|lucide-react\/dist\/esm\/icons\/(chevron-up|ellipsis|keyboard|rotate-ccw-clock|sliders-horizontal|users-round)\./

export default defineConfig(({ isSsrBuild, command }) => ({
  plugins: [
    inLanguage(language),
    tanstackRouter({ target: 'react', autoCodeSplitting: true, quoteStyle: 'single' }),
    // Every text has an element of its own (src/jsx): a browser's translation breaks no page.
    react({ jsxImportSource: '@/jsx' }),
    tailwindcss(),
  ],
  resolve: { alias: { '@': new URL('./src', import.meta.url).pathname } },
  // The server replaces the placeholder with a fresh nonce on every response.
  html: command === 'build' ? { cspNonce: '__CSP_NONCE__' } : {},
  build: {
    outDir: isSsrBuild ? `${dist}/.prerender` : dist,
    // The files beside the pages are the same in every language.
    copyPublicDir: !isSsrBuild && language === 'en',
    manifest: !isSsrBuild,
    assetsInlineLimit: 0,
    target: 'es2022',
    modulePreload: { polyfill: false },
    ...(isSsrBuild
      ? {}
      : {
          rolldownOptions: {
            output: {
              // Every first page carries the names of all pages' chunks: only those of several pages say what they are.
              chunkFileNames: ({ name }: { name: string }) =>
                named.has(name) ? 'assets/[name]-[hash:7].js' : 'assets/c[hash:7].js',
              codeSplitting: {
                groups: [
                  {
                    name: 'foundation',
                    test: (id: string) => foundation.test(id) && !moving.test(id),
                    priority: 5,
                  },
                  { name: 'shell', test: shell, priority: 4 },
                  { name: 'connection', test: connection, priority: 4 },
                  {
                    name: 'kit',
                    test: (id: string) => (kit.test(id) && !signs.test(id)) || moving.test(id),
                    priority: 3,
                  },
                  { name: 'settings', test: settings, priority: 0 },
                  { name: 'waiting', test: waiting, priority: 2 },
                  { name: 'shared', test: shared, priority: 1 },
                  // What two pages share alone is a chunk of theirs: the others need not load it.
                  { name: 'back-office', test: office, minShareCount: 3, priority: 0.5 },
                  { name: 'vouchers', test: vouchers, minShareCount: 2, priority: 0 },
                  { name: 'cards', test: cards, minShareCount: 2, priority: 0 },
                  { name: 'restored', test: restored, minShareCount: 2, priority: 0 },
                  { name: 'approvals', test: approvals, minShareCount: 2, priority: 0 },
                  { name: 'buying', test: buying, minShareCount: 2, priority: 0 },
                  { name: 'desk', test: desk, minShareCount: 2, priority: 0.6 },
                ],
              },
            },
          },
        }),
  },
  server: {
    port: 5173,
    proxy: { '/api': site, '/evidence': site, '/gift-card-images': site },
  },
  test: {
    environment: 'node',
    include: ['src/**/*.test.{ts,tsx}', 'e2e/**/*.test.ts'],
    setupFiles: ['src/test-setup.ts'],
    // For what never comes: a busy machine takes seconds to load a page's modules.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
}))
