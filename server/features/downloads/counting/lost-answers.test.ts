// Each download and each view is counted exactly once, also when the connection to PostgreSQL breaks
// around the commit of its count: before the server hears of the commit, or before its answer arrives.
import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { soakTest, someOf } from '../../../../test/scale.ts'
import { openDatabase } from '../../../core/db/database.ts'
import { createTestShop, openTestDatabase, silent } from '../../../../test/database.ts'
import { get, openDepot, visit, type Depot } from '../../../../test/delivery.ts'
import { startLossyLine, type Lost, type LossyLine } from '../../../../test/fakes/lost-answers.ts'
import { ensurePack } from '../../../files/packs.ts'
import { createPackLink } from '../../links/model/pack-links.ts'
import { downloadMessages } from '../download-notices.ts'

const BYTES = randomBytes(1000)
const LOST: readonly Lost[] = ['answer', 'request']

let line: LossyLine
let depot: Depot
let port: number
beforeAll(async () => {
  const database = await openTestDatabase()
  depot = await openDepot(database, await createTestShop(database))
  line = await startLossyLine(database.url)
  const own = openDatabase(line.url, 6, silent)
  const messages = downloadMessages(own, () => depot.time.now)
  // Notices stay as they were counted.
  port = await depot.serve({
    database: own,
    messages: { ...messages, downloaded: () => Promise.resolve() },
  })
  return async () => {
    await depot.close()
    await own.close()
    await line.close()
    await database.drop()
  }
})

/** Asks as a buyer does who is refused: once more. Returns the answers. */
async function untilServed(ask: () => Promise<{ status: number }>): Promise<number[]> {
  const first = await ask()
  return first.status === 503 ? [503, (await ask()).status] : [first.status]
}
const expected = (lost: Lost, served: number) => (lost === 'answer' ? [served] : [503, served])

describe.each(someOf(LOST, (one) => one === 'answer'))('a lost %s', (lost) => {
  test('of the count of a link with a limit', async () => {
    const { key, id } = await depot.addLink(BYTES, { download_limit: 5 })
    const broken = line.breakAt('delivery_decide_unlocked', lost)
    expect(await untilServed(() => get(port, key))).toEqual(expected(lost, 200))
    await broken
    expect(await depot.downloads(id)).toEqual({ downloads: 1, served: 1 })
  })

  test('of the counts of links without a limit', async () => {
    const [one, other] = [await depot.addLink(BYTES), await depot.addLink(BYTES)]
    const broken = line.breakAt('delivery_write_counts', lost)
    for (const { key } of [one, one, other]) expect((await get(port, key)).status).toBe(200)
    await depot.flush()
    await broken
    await depot.flush()
    expect(await depot.downloads(one.id)).toEqual({ downloads: 2, served: 2 })
    expect(await depot.downloads(other.id)).toEqual({ downloads: 1, served: 1 })
  })

  soakTest('of the count of a ZIP file', async () => {
    const pack = await ensurePack(depot.scope, `Course ${lost}`)
    for (const place of [1, 2])
      await depot.addFile(randomBytes(100), { pack_id: pack, pack_position: place })
    const page = await createPackLink(
      depot.scope,
      depot.secrets,
      { pack_id: pack, download_limit: 5 },
      depot.time.now,
    )
    const path = `/download?key=${page.key}&all=1`
    // The first one computes the checksums of the files.
    expect((await visit(port, path)).status).toBe(200)
    const broken = line.breakAt('delivery_archive_charge', lost)
    expect(await untilServed(() => visit(port, path))).toEqual(expected(lost, 200))
    await broken
    const counted = await depot.scope.query<{ downloads: number }>(
      'select downloads from links where shop_id = :shop and parent_id = :page',
      { page: page.id },
    )
    expect(counted).toEqual([{ downloads: 2 }, { downloads: 2 }])
  })

  soakTest('of the count of a public file', async () => {
    const { file, path } = await depot.addPublic(BYTES)
    const broken = line.breakAt('delivery_public_count', lost)
    expect(await untilServed(() => visit(port, path))).toEqual(expected(lost, 200))
    await broken
    expect(await depot.publicDownloads(file)).toBe(1)
  })

  soakTest('of the count of a view', async () => {
    const viewed = { view: 'both', content_type: 'application/pdf' }
    const { key, id } = await depot.addLink(BYTES, { view_limit: 5 }, viewed)
    const cookie = `stevedore_view=${randomBytes(16).toString('base64url')}`
    const broken = line.breakAt('update links set views = views + 1', lost)
    const press = () => visit(port, `/view?key=${key}`, { cookie }, 'POST')
    expect(await untilServed(press)).toEqual([503, 303])
    await broken
    const count = 'select views from links where shop_id = :shop and id = :id'
    expect(await depot.scope.one(count, { id })).toEqual({ views: 1 })
  })

  test.each(
    someOf(
      [
        [
          'record',
          'select count(*)::int as n from downloads where shop_id = :shop and file_id = :file',
        ],
        [
          'notices',
          'select untold as n from download_notices where shop_id = :shop and file_id = :file',
        ],
        ['days', 'select downloads as n from file_days where shop_id = :shop and file_id = :file'],
      ] as const,
      (_, at) => at < 1,
    ),
  )('of the %s of a download', async (statement, count) => {
    const told = { download_tracking: true, download_notification: true }
    const { key, file } = await depot.addLink(BYTES, {}, told)
    const broken = line.breakAt(`delivery_${statement}`, lost)
    for (const status of [200, 200]) expect((await get(port, key)).status).toBe(status)
    await depot.flush()
    await broken
    await depot.flush()
    expect(await depot.scope.one(count, { file })).toEqual({ n: 2 })
  })

  soakTest('of the end of a whole download leaves no copy that is owed', async () => {
    const { key, id } = await depot.addLink(BYTES, { download_limit: 5 })
    const broken = line.breakAt('delivery_download_sessions_record', lost)
    expect((await get(port, key)).status).toBe(200)
    await broken
    // A transfer counts as running for three seconds without its process.
    depot.time.now = new Date(+depot.time.now + 5000)
    expect((await get(port, key)).status).toBe(200)
    expect(await depot.downloads(id)).toEqual({ downloads: 2, served: 2 })
  })
})
