import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '../../..')

it('is the only module that reads the private tables of graphile-worker', () => {
  const files = globSync('{server,plugins,workflows,migrations}/**/*.ts', { cwd: ROOT })
  const reading = files.filter(
    (file) =>
      !file.endsWith('.test.ts') &&
      /graphile_worker\._private/.test(readFileSync(path.join(ROOT, file), 'utf8')),
  )
  expect(reading).toEqual(['server/core/queue/private-jobs.ts'])
})
