import { defineConfig } from '@playwright/test'
import everything from '../playwright.config'

/** The stories that `make drill-containers` runs against the containers, one after the other. */
export default defineConfig({
  ...everything,
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: '../.results/drill',
  workers: 1,
  use: { ...everything.use, ignoreHTTPSErrors: true }, // the drill's own authority
})
