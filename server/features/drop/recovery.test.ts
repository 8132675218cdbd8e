import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTestDatabase, silent } from '../../../test/database.ts'
import { recoverTransfers } from './run-server.ts'

test('a staging file without a row is removed only when it is old: its row may be about to be written', async () => {
  const database = await openTestDatabase()
  const staging = await mkdtemp(path.join(tmpdir(), 'stevedore-staging-'))
  onTestFinished(async () => {
    await rm(staging, { recursive: true })
    await database.drop()
  })
  for (const name of ['new', 'old']) await writeFile(path.join(staging, name), 'bytes')
  const hourAgo = new Date(Date.now() - 3_600_000)
  await utimes(path.join(staging, 'old'), hourAgo, hourAgo)
  await recoverTransfers({ database, stores: new Map(), staging, log: silent })
  expect(await readdir(staging)).toEqual(['new'])
})
