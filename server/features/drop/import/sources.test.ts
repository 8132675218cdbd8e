import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase, silent } from '../../../../test/database.ts'
import { appConfig } from '../../../../app.config.ts'
import { forShop, type ShopScope } from '../../../core/db/for-shop.ts'
import { toPublicId } from '../../../core/ids.ts'
import type { Engine } from '../../../engine/engine.ts'
import type { StartInput } from '../../../engine/start.ts'
import { WholeBlobs } from '../../../files/whole-blobs.ts'
import { createWorkflow } from '../../workflows/workflows.ts'
import { triggerBody } from '../../workflows/triggers.ts'
import { ensureSettings } from '../settings.ts'
import { takeReady } from './take.ts'

const parts = appConfig({})
let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
const accounts = new Map<string, string>()
beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database))
  await ensureSettings(scope, 'hourly')
  for (const name of ['a', 'b', 'c']) {
    const row = await scope.one<{ id: string }>(
      `insert into drop_accounts (shop_id, name, username, password)
       values (:shop, :name, :name, '') returning id`,
      { name },
    )
    accounts.set(name, row.id)
  }
})
afterAll(() => database.drop())

const supplier = (name: string, from: object, more: object = {}) =>
  createWorkflow(
    scope,
    {
      name,
      kind: 'import',
      parallel: 1,
      channel: null,
      steps: [{ plugin: 'take-drop' }, { plugin: 'validate-file' }],
      when: [triggerBody.parse({ kind: 'imports', from, ...more })],
    },
    parts,
  )

const drop = (account: string, folder: string, name: string) =>
  scope.query(
    `insert into drop_entries (shop_id, folder, name, kind, state, closed_cleanly, quiet_since,
       account_id)
     values (:shop, :folder, :name, 'file', 'waiting', true, now() - interval '1 minute', :account)`,
    { folder, name, account: accounts.get(account) },
  )

/** Takes all that is ready: each import's workflow, with its files and what a taken name does. */
async function takeAll(growing: boolean): Promise<string[]> {
  const started: string[] = []
  const closed: string[] = []
  const start: Engine['start'] = async (tx, { workflow, source, channel }: StartInput) => {
    const entries = source.type === 'entries' ? source.entries : []
    const files = entries.map(({ entry }) => `${entry.filename} ${entry.on_conflict}`)
    started.push(`${workflow.title}: ${files.join(', ')}`)
    const row = await tx.one<{ id: string }>(
      `insert into operations (shop_id, kind, action, channel, workflow, requested_by, total)
       values (:shop, 'import', 'import', :channel, '{}', 'test', 1) returning id`,
      { channel },
    )
    return row.id
  }
  const close = (_tx: ShopScope, id: string) => Promise.resolve(void closed.push(id))
  const engine = { plugins: parts.plugins, workflows: parts.workflows, start, close } as unknown
  const stores = new Map()
  const blobs = new WholeBlobs({ database, stores, log: silent, clock: () => new Date() })
  const take = { requestedBy: 'test', prompt: false, growing }
  while (await takeReady({ engine: engine as Engine, stores, blobs }, scope, take));
  return started.toSorted()
}

test('each supplier has its own workflow and rule, and the most specific source decides', async () => {
  const account = (name: string) => toPublicId('account', accounts.get(name)!)
  await supplier('A', { drop_account: account('a') }, { on_conflict: 'rename' })
  await supplier('A, new', { drop_account: account('a'), folder: 'new' })
  await supplier('B', { drop_account: account('b') }, { on_conflict: 'new_version' })
  await supplier('All others', { channel: 'drop' })
  await drop('a', '', 'one.pdf')
  await drop('b', '', 'two.pdf')
  await drop('a', 'new/2026', 'three.pdf')
  await drop('a', 'newer', 'four.pdf')
  await drop('c', 'new', 'five.pdf')
  expect(await takeAll(false)).toEqual([
    'A, new: three.pdf error',
    'A: one.pdf rename, four.pdf rename',
    'All others: five.pdf error',
    'B: two.pdf new_version',
  ])
})

test('a file waits for the quiet time of its source, and no other file waits for it', async () => {
  await scope.query(
    `update triggers set options = options || '{"quiet_seconds": 300}' where shop_id = :shop
       and source = :source`,
    { source: `account:${accounts.get('b')}` },
  )
  await drop('b', '', 'six.pdf')
  await drop('a', '', 'seven.pdf')
  expect(await takeAll(true)).toEqual(['A: seven.pdf rename'])
  await scope.query(`update drop_entries set quiet_since = now() - interval '6 minutes'
    where shop_id = :shop and name = 'six.pdf'`)
  expect(await takeAll(true)).toEqual(['B: six.pdf new_version'])
})
