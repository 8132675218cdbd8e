import { expect, it } from 'vitest'
import pg from 'pg'
import { createLogger } from '../core/log.ts'
import { logRejection } from './rejections.ts'

it('a rejection because the database restarts is one line without a stack, and no other one is', async () => {
  const lines: string[] = []
  const handle = logRejection(createLogger('info', (line) => lines.push(line)))
  handle(Object.assign(new Error('terminating connection'), { code: '57P01' }))
  const pool = new pg.Pool({ host: '127.0.0.1', port: 1 })
  await pool.query('select 1').catch(handle)
  // Another socket: of a mail server, an SFTP server, a store.
  handle(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  handle(new Error('a bug'))
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 'warn', error: 'terminating connection' },
    { level: 'warn', error: expect.stringContaining('ECONNREFUSED') },
    { level: 'error', message: 'unhandled rejection', error: 'write EPIPE' },
    { level: 'error', message: 'unhandled rejection', stack: expect.any(String) },
  ])
  expect(lines[0]).not.toContain('stack')
})
