import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: 'test/global-setup.ts',
    include: ['{server,plugins,workflows,test,web}/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores: more files at once only slow each other down.
    maxWorkers: 2,
    // A test that is skipped or focused by accident is a test that can't fail.
    allowOnly: false,
    passWithNoTests: false,
  },
})
