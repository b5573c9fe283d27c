import { defineConfig } from '@playwright/test'
import everything from '../playwright.config'

/** The pictures of README and docs, screenshots of the running product: `make pictures`. */
export default defineConfig({
  ...everything,
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: '../.results/pictures',
  workers: 1,
  timeout: 300_000,
  use: { ...everything.use, viewport: { width: 1280, height: 860 }, colorScheme: 'light', locale: 'en-US' },
})
