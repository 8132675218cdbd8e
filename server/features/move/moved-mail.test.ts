// The mail with all links of a past buyer of another app: keys are inserted when it is sent.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { openDepot, type Depot } from '../../../test/delivery.ts'
import { createLinks } from '../links/model/creation.ts'
import { revokeLinks } from '../links/model/changes.ts'
import { withMovedKeys, writeMovedMail } from './moved-mail.ts'

const BASE = 'https://files.example.com'
const NOW = new Date('2027-02-20T12:00:00Z')

let database: Awaited<ReturnType<typeof openTestDatabase>>
let depot: Depot
beforeAll(async () => {
  database = await openTestDatabase()
  depot = await openDepot(database, await createTestShop(database))
})
afterAll(async () => {
  await depot.close()
  await database.drop()
})

test('names each file with its own address, until no link works any more', async () => {
  const { scope, secrets } = depot
  const names = ['one.pdf', 'two.pdf', 'three.pdf']
  const files: string[] = []
  for (const filename of names)
    files.push(await depot.addFile(Buffer.from(filename), { filename, name_key: filename }))
  const links = await createLinks(
    scope,
    secrets,
    { file_ids: files, email: 'ann@example.com', download_limit: 3 },
    NOW,
  )
  const ids = links.map(({ id }) => id)
  const content = (await writeMovedMail(scope, ids, BASE))!
  expect(content.to).toEqual(['ann@example.com'])
  expect(content.subject).toMatch(/^Your downloads from /)
  for (const { key } of links) expect(JSON.stringify(content)).not.toContain(key)
  // A file that was purged meanwhile takes its link with it, and moves no other address.
  await scope.query('delete from links where shop_id = :shop and id = :id', { id: ids[0]! })
  const parts = { secrets, baseUrl: BASE, now: NOW }
  const { text, html } = (await withMovedKeys(scope, content, ids, parts))!
  for (const [at, { key, name }] of links.entries()) {
    const given = at === 0 ? '' : key
    expect(text).toMatch(
      new RegExp(`${name}\nhttps://files\\.example\\.com/download\\?key=${given}(&\\S*)?\n`),
    )
    expect(html).toMatch(new RegExp(`key=${given}(&[^']*)?'[^<]*>${name}<`))
  }
  expect(text).not.toContain('not kept')
  await revokeLinks(scope, ids)
  expect(await withMovedKeys(scope, content, ids, parts)).toBeNull()
})
