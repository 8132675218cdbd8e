import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Whole flows and the browser take longest: begun last, one of them would run alone at the end. */
const LONG = [/\/test\/flows\//, /\/test\/browser\//]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((place) => place.test(moduleId))
      return at < 0 ? LONG.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    globalSetup: 'test/global-setup.ts',
    include: ['{server,plugins,workflows,test,web}/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A machine that is busy is no fault. Where a second is what was promised, the test says so.
    expect: { poll: { timeout: 20_000 } },
    // Two cores, and one file that waits: more at once only slow each other down.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // A test that is skipped or focused by accident is a test that can't fail.
    allowOnly: false,
    passWithNoTests: false,
  },
})
