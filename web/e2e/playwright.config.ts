import { defineConfig } from '@playwright/test'
import { launchOptions } from './fixtures/browser'

/**
 * The browser tests. They need a running stack: E2E_SITE_URL, E2E_SANDBOX_URL, E2E_IDENTITY_URL and, for the
 * operator's view, E2E_TEMPORAL_UI_URL. Site and simulators are on different hosts (localhost, 127.0.0.1), as
 * they are in production.
 *
 * Nothing is repeated. Waits end with their condition: the limits are for a condition that never holds, far
 * above what a busy machine needs.
 */
export default defineConfig({
  testDir: '.',
  testMatch: '{flows,a11y}/**/*.spec.ts',
  outputDir: '.results',
  fullyParallel: false,
  workers: process.env.E2E_WORKERS ? Number(process.env.E2E_WORKERS) : 2,
  forbidOnly: true,
  retries: 0,
  maxFailures: 20,
  timeout: 900_000,
  expect: { timeout: 60_000 },
  reporter: [['line']],
  use: {
    baseURL: process.env.E2E_SITE_URL ?? 'http://localhost:8080',
    launchOptions: await launchOptions(),
    viewport: { width: 1280, height: 900 },
    contextOptions: { reducedMotion: 'reduce' }, // a spinner is a tenth of a core to paint; story.spec.ts keeps all motion
    actionTimeout: 30_000,
    navigationTimeout: 60_000,
    trace: 'off',
    video: 'off',
    screenshot: 'only-on-failure',
  },
})
