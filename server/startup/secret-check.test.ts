import { expect, onTestFinished, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { openDepot } from '../../test/delivery.ts'
import { openSecrets } from '../core/db/server-keys.ts'
import { createLogger } from '../core/log.ts'
import { createSecrets } from '../core/secrets.ts'
import { warnOfOtherSecret } from './database.ts'

test('a process with another secret than that of the stored links is told', async () => {
  const database = await openTestDatabase()
  onTestFinished(() => database.drop())
  const depot = await openDepot(database, await createTestShop(database))
  onTestFinished(() => depot.close())
  const lines: string[] = []
  const log = createLogger('info', (line) => lines.push(line))
  const other = createSecrets('another secret of at least thirty-two characters')
  await warnOfOtherSecret(database, other, log)
  const { key } = await depot.addLink(Buffer.from('a file'))
  await warnOfOtherSecret(database, depot.secrets, log)
  expect(lines).toEqual([])
  await warnOfOtherSecret(database, other, log)
  expect(lines).toEqual([expect.stringMatching(/"warn".*set the same APP_SECRET on every machine/)])
  expect(lines[0]).not.toContain(key)
})

test('a process whose secret does not open the database’s key is told, also without links', async () => {
  const database = await openTestDatabase()
  onTestFinished(() => database.drop())
  const lines: string[] = []
  const log = createLogger('info', (line) => lines.push(line))
  const [first, other] = ['first', 'other'].map((word) => `the ${word} secret of the installation`)
  await warnOfOtherSecret(database, await openSecrets(database.pool, first!, []), log)
  const changed = await openSecrets(database.pool, other!, [first!])
  await warnOfOtherSecret(database, changed, log)
  expect(lines).toEqual([])
  await warnOfOtherSecret(database, await openSecrets(database.pool, other!, []), log)
  expect(lines).toEqual([expect.stringMatching(/"error".*used with another APP_SECRET/)])
})
