// npm run test:soak: what takes too long for npm test.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: `${import.meta.dirname}/../..`,
  test: {
    globalSetup: 'test/global-setup.ts',
    include: ['test/soak/*.soak.ts'],
    testTimeout: 3600_000,
    hookTimeout: 1200_000,
    maxWorkers: 2,
    allowOnly: false,
    passWithNoTests: false,
  },
})
