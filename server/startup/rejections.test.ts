import { expect, it } from 'vitest'
import { createLogger } from '../core/log.ts'
import { logRejection } from './rejections.ts'

it('a rejection because the database restarts is one line without a stack', () => {
  const lines: string[] = []
  const handle = logRejection(createLogger('info', (line) => lines.push(line)))
  handle(Object.assign(new Error('terminating connection'), { code: '57P01' }))
  handle(new Error('a bug'))
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 'warn', error: 'terminating connection' },
    { level: 'error', message: 'unhandled rejection', stack: expect.any(String) },
  ])
  expect(lines[0]).not.toContain('stack')
})
