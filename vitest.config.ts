import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { sortTests } from './test/projects.ts'
import { WAIT_MS } from './test/wait.ts'

const tests = sortTests()
/**
 * A long file that starts last runs alone at the end, with the other processor idle. Vitest sorts
 * the files of one rank by their last duration or their size.
 */
const LONGEST_FIRST = [tests.flows, tests.browser, [...tests.db, ...tests.unit]]
const ranks = new Map(
  LONGEST_FIRST.flatMap((files, rank) => files.map((file) => [path.resolve(file), rank] as const)),
)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => ranks.get(moduleId) ?? -1
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

// What saves time in the tests and what does not: docs/decisions/0088.
// Each worker compiles the modules that it loads, and the tests' servers compile the same ones.
process.env.NODE_COMPILE_CACHE ??= path.resolve('node_modules/.cache/compiled')

const seed = Number(process.env.SEED ?? randomInt(2 ** 31))
process.stdout.write(`seed ${seed} (SEED=${seed} repeats the random choices)\n`)
const POSTGRES = 'test/global-setup.ts'
const SERVERS = [POSTGRES, 'test/page-setup.ts']

export default defineConfig({
  test: {
    // Far above what a busy machine needs: they end a test that hangs. A promise with a time in it
    // is tested by that time in its own test.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: WAIT_MS } },
    // More than processors, since many tests wait for a process or a timer. Each worker compiles the
    // modules, warms up and opens a browser separately, which takes 17 s of processor time: one
    // worker with its processes already uses 1.2 processors.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: LongestFirst },
    provide: { seed, soak: false },
    // A test that is focused by accident hides the others.
    allowOnly: false,
    passWithNoTests: false,
    // Test files of one worker share its process: each module is read once.
    isolate: false,
    // Node loads the modules itself, as it does in production: Vite would transform each of them
    // again for every project. Watching needs to know which test imports which module, from Vite.
    experimental: { viteModuleRunner: process.argv.includes('watch'), nodeLoader: false },
    projects: [
      // The four below in the same worker processes, for npm test: each process reads and compiles
      // the modules for seconds, and Vitest starts separate ones for each project.
      { extends: true, test: { name: 'all', include: LONGEST_FIRST.flat(), globalSetup: SERVERS } },
      { extends: true, test: { name: 'unit', include: tests.unit } },
      { extends: true, test: { name: 'db', include: tests.db, globalSetup: POSTGRES } },
      { extends: true, test: { name: 'flows', include: tests.flows, globalSetup: SERVERS } },
      { extends: true, test: { name: 'browser', include: tests.browser, globalSetup: SERVERS } },
      {
        extends: true,
        test: {
          name: 'soak',
          include: tests.soak,
          globalSetup: SERVERS,
          setupFiles: 'test/soak/setup.ts',
          testTimeout: 3_600_000,
          hookTimeout: 1_200_000,
          provide: { seed, soak: true },
        },
      },
    ],
  },
})
