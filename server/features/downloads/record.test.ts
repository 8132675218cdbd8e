import { randomBytes } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { dayAt } from '../../../plugins/contract/index.ts'
import { zoneOfAnotherDay } from '../../../test/zones.ts'
import { changeShopSettings } from '../../files/shop-settings.ts'
import { createTestShop, silent } from '../../../test/database.ts'
import { makeFiles } from '../../../test/files.ts'
import { readParts } from '../../core/db/month-parts.ts'
import { forShop } from '../../core/db/for-shop.ts'
import { notifyDownloads } from './download-notices.ts'
import type { MailPayload } from '../../core/outbox/outbox.ts'
import { renderMail } from '../mail/buyer-mail.ts'
import { get, visit, openTestDepot, type Depot, type TestDepot } from '../../../test/delivery.ts'
import { CountedWrites, type CountedWrite } from './counted-writes.ts'
import { createRecorder, sweepDownloads, type UsedLink } from './record.ts'
import type { FileTarget } from './targets.ts'

const SMALL = randomBytes(1000)
const MINUTE_MS = 60_000

let database: TestDepot['database']
let depot: Depot
let port: number
let secondPort: number
beforeAll(async () => {
  const opened = await openTestDepot()
  ;({ database, depot, port } = opened)
  secondPort = await depot.serve()
  return opened.end
})
beforeEach(() => database.pool.query('delete from downloads'))

interface Kept {
  file_id: string
  link_id: string | null
  address: string
  agent: string
  at: Date
}

async function kept(): Promise<Kept[]> {
  await depot.flush()
  return depot.scope.query<Kept>(
    'select file_id, link_id, address, agent, at from downloads where shop_id = :shop order by id',
  )
}

const writes = () => new CountedWrites(database.pool, silent)
const about = () => ({ shop: depot.shop, file: '0199aaaa-0000-7000-8000-000000000001' })

soakTest('after a failed write the month is written without a further download', async () => {
  await database.pool.query('delete from shop_downloads')
  let failures = 1
  const write: CountedWrite = (...given) =>
    failures-- > 0 ? Promise.reject(new Error('the database is down')) : writes().behind(...given)
  const used: UsedLink[] = []
  const recorder = createRecorder({
    write,
    notify: () => Promise.resolve(),
    used: async (links) => void used.push(...links),
    log: silent,
  })
  const target = { ...about(), tracked: false, notified: false } as FileTarget
  const client = { hash: Buffer.alloc(1), network: Buffer.alloc(1), address: '', agent: '' }
  recorder.record({ target, link: 'a link', client, at: depot.time.now })
  await recorder.flush()
  expect(used).toEqual([])
  const months = () =>
    depot.scope.query('select downloads from shop_downloads where shop_id = :shop')
  await expect.poll(months).toEqual([{ downloads: 1 }])
  await expect.poll(() => used).toEqual([{ shop: depot.shop, link: 'a link' }])
})

test('downloads are recorded and told once after the database was unavailable', async () => {
  const [file] = await makeFiles(depot.scope, [{ filename: 'restarted.pdf' }])
  const down = Object.assign(new Error('terminating connection'), { code: '57P01' })
  let attempts = 0
  // The first statement fails, and then the second one, for those who are notified.
  const write: CountedWrite = (...given) =>
    [1, 3].includes(++attempts) ? Promise.reject(down) : writes().behind(...given)
  const recorder = createRecorder({
    write,
    notify: () => Promise.resolve(),
    used: () => Promise.resolve(),
    log: silent,
  })
  const target = { shop: depot.shop, file, tracked: true, notified: true } as FileTarget
  const client = { hash: Buffer.alloc(1), network: Buffer.alloc(1), address: '', agent: '' }
  for (let download = 0; download < 3; download++)
    recorder.record({ target, link: null, client, at: depot.time.now })
  for (let flush = 0; flush < 3; flush++) await recorder.flush()
  const [rows, untold] = await Promise.all([
    depot.scope.query('select from downloads where shop_id = :shop and file_id = :file', { file }),
    depot.scope.query(
      'select untold from download_notices where shop_id = :shop and file_id = :file',
      {
        file,
      },
    ),
  ])
  expect([rows.length, untold]).toEqual([3, [{ untold: 3 }]])
})

soakTest('used links are reported again after the database was unavailable', async () => {
  const reports: string[][] = []
  const recorder = createRecorder({
    write: writes().behind,
    notify: () => Promise.resolve(),
    used: (links) => {
      reports.push(links.map(({ link }) => link))
      const down = Object.assign(new Error('terminating connection'), { code: '57P01' })
      return reports.length === 1 ? Promise.reject(down) : Promise.resolve()
    },
    log: silent,
  })
  const target = { ...about(), tracked: false, notified: false } as FileTarget
  const client = { hash: Buffer.alloc(1), network: Buffer.alloc(1), address: '', agent: '' }
  recorder.record({ target, link: 'a link', client, at: depot.time.now })
  await recorder.flush()
  await recorder.flush()
  await recorder.flush()
  expect(reports).toEqual([['a link'], ['a link']])
})

describe('tracking', () => {
  test('records time, address and client of a download, by link and at its public address', async () => {
    const { key, id, file } = await depot.addLink(SMALL)
    const open = await depot.addPublic(SMALL)
    const agent = { 'user-agent': 'Wget/1.21 ü' }
    await get(port, key, agent)
    await visit(port, open.path)
    const at = depot.time.now
    expect(await kept()).toEqual([
      { file_id: file, link_id: id, address: '127.0.0.1', agent: 'Wget/1.21 ü', at },
      { file_id: open.file, link_id: null, address: '127.0.0.1', agent: '', at },
    ])
  })

  soakTest('records only downloads that count', async () => {
    const { key } = await depot.addLink(SMALL, { download_limit: 1 })
    const open = await depot.addPublic(SMALL)
    await get(port, key, { range: 'bytes=0-99' })
    await get(port, key, { range: 'bytes=100-' })
    await get(port, key, {}, 'HEAD')
    expect((await get(port, key)).status).toBe(410)
    await visit(port, open.path, { range: 'bytes=100-' })
    await visit(port, open.path, {}, 'HEAD')
    expect(await kept()).toHaveLength(1)
  })

  soakTest('on or off, each download counts in its month in the shop’s time zone', async () => {
    await database.pool.query('delete from shop_downloads')
    const { key, file } = await depot.addLink(SMALL, {}, { download_tracking: false })
    const open = await depot.addPublic(SMALL)
    await get(port, key)
    await get(secondPort, key)
    await visit(port, open.path)
    await depot.flush()
    const months = await depot.scope.query(
      'select month::text, downloads from shop_downloads where shop_id = :shop',
    )
    const month = `${depot.time.now.toISOString().slice(0, 7)}-01`
    expect(months).toEqual([{ month, downloads: 3 }])
    const days = await depot.scope.query<{ day: string; downloads: number }>(
      `select day::text, downloads from file_days where shop_id = :shop
         and file_id = any(:files::uuid[]) order by downloads`,
      { files: [file, open.file] },
    )
    const day = depot.time.now.toISOString().slice(0, 10)
    expect(days).toEqual([
      { day, downloads: 1 },
      { day, downloads: 2 },
    ])
  })

  soakTest('each download counts on its day in the time zone of the shop', async () => {
    const { now } = depot.time
    const zone = zoneOfAnotherDay(now)
    const day = dayAt(now, zone)
    const setZone = (name: string) => changeShopSettings(depot.scope, { time_zone: name })
    await setZone(zone)
    onTestFinished(async () => void (await setZone('UTC')))
    await database.pool.query('delete from shop_downloads')
    const { key, file } = await depot.addLink(SMALL)
    await get(port, key)
    await get(port, key)
    await depot.flush()
    expect(
      await depot.scope.query(
        'select day::text, downloads from file_days where shop_id = :shop and file_id = :file',
        { file },
      ),
    ).toEqual([{ day, downloads: 2 }])
    expect(
      await depot.scope.query('select month::text from shop_downloads where shop_id = :shop'),
    ).toEqual([{ month: `${day.slice(0, 7)}-01` }])
  })

  soakTest('off records nothing', async () => {
    const { key, id } = await depot.addLink(SMALL, {}, { download_tracking: false })
    expect((await get(port, key)).status).toBe(200)
    expect(await kept()).toEqual([])
    expect((await depot.downloads(id)).downloads).toBe(1)
  })

  test('many concurrent downloads at two servers are recorded once each', async () => {
    const { key } = await depot.addLink(SMALL)
    await Promise.all(Array.from({ length: 100 }, (_, at) => get(at % 2 ? port : secondPort, key)))
    expect(await kept()).toHaveLength(100)
  })

  soakTest(
    'behind a trusted proxy the address is the one that the proxy sends; user agents are shortened',
    async () => {
      const proxied = await depot.serve({ trustProxy: true })
      const { key } = await depot.addLink(SMALL)
      const headers = {
        'x-forwarded-for': '203.0.113.1, ::ffff:198.51.100.7',
        'user-agent': 'x'.repeat(3000),
      }
      await get(proxied, key, headers)
      expect(await kept()).toMatchObject([{ address: '198.51.100.7', agent: 'x'.repeat(400) }])
    },
  )

  test('is deleted with its file', async () => {
    const [gone, stays] = [await depot.addLink(SMALL), await depot.addLink(SMALL)]
    for (const { key } of [gone, stays]) await get(port, key)
    expect(await kept()).toHaveLength(2)
    await database.pool.query('delete from files where id = $1', [gone.file])
    expect(await kept()).toMatchObject([{ file_id: stays.file }])
  })

  soakTest(
    'a record written after its file was deleted blocks nothing, and is deleted within the hour',
    async () => {
      const [gone, stays] = [await depot.addLink(SMALL), await depot.addLink(SMALL)]
      const lock = await database.pool.connect()
      await lock.query('begin')
      await lock.query('lock table downloads in exclusive mode')
      await Promise.all([get(port, gone.key), get(port, stays.key)])
      await lock.query('delete from files where id = $1', [gone.file])
      await lock.query('commit')
      lock.release()
      expect(await kept()).toHaveLength(2)
      const anHourOn = new Date(+depot.time.now + 60 * MINUTE_MS)
      expect(await sweepDownloads(database.pool, anHourOn)).toBe(1)
      expect(await kept()).toMatchObject([{ file_id: stays.file }])
    },
  )

  test('is dropped with its month, 13 months after its end', async () => {
    const { file } = await depot.addLink(SMALL)
    const writtenAt = async (id: string, at: string) =>
      depot.scope.insert('downloads', { id, file_id: file, address: '', agent: '', at })
    // Written before there were months, and in one of them.
    const months = await readParts(database.pool, 'downloads')
    const { from, to } = months[1]!
    const [begin, end] = [from!, to!].map((id) =>
      Number.parseInt(id.replace('-', '').slice(0, 12), 16),
    )
    await writtenAt(`${from!.slice(0, 14)}7000-8000-000000000001`, new Date(begin!).toISOString())
    await writtenAt('01900000-0000-7000-8000-000000000001', '2024-06-09T12:00:00Z')
    const after = (ms: number, month: number) => {
      const time = new Date(ms)
      time.setUTCMonth(time.getUTCMonth() + month)
      return time
    }
    expect(await sweepDownloads(database.pool, new Date('2025-07-09T11:59:00Z'))).toBe(0)
    expect(await sweepDownloads(database.pool, new Date('2025-07-09T12:01:00Z'))).toBe(1)
    await sweepDownloads(database.pool, new Date(+after(end!, 13) - 1))
    expect(await kept()).toHaveLength(1)
    await sweepDownloads(database.pool, after(end!, 13))
    expect(await kept()).toEqual([])
  })
})

describe('notification', () => {
  const notices = () =>
    depot.scope.query<{ title: string; body: string; level: string }>(
      'select title, body, level from notices where shop_id = :shop order by id',
    )
  const mails = () =>
    depot.scope.query<{ payload: MailPayload; kind: string }>(
      'select kind, payload from outbox where shop_id = :shop order by id',
    )
  const settings = (recipients: string[]) =>
    database.pool.query('update shops set settings = $1', [JSON.stringify({ recipients })])
  beforeEach(async () => {
    await database.pool.query(
      'delete from outbox; delete from notices; delete from download_notices',
    )
    await settings(['owner@example.com'])
  })

  test('reports the first download immediately, then all later ones at most once an hour', async () => {
    const { key } = await depot.addLink(
      SMALL,
      {},
      { download_notification: true, filename: 'guide <b>.pdf' },
    )
    const start = depot.time.now
    try {
      await get(port, key)
      await depot.flush()
      for (let more = 0; more < 3; more++) await get(port, key)
      await depot.flush()
      depot.time.now = new Date(+start + 60 * MINUTE_MS - 1)
      expect(await notifyDownloads(database, depot.time.now)).toBe(0)
      expect(await notices()).toEqual([
        { level: 'info', title: 'guide <b>.pdf was downloaded', body: 'guide <b>.pdf: once' },
      ])
      depot.time.now = new Date(+start + 60 * MINUTE_MS)
      expect(await notifyDownloads(database, depot.time.now)).toBe(1)
      expect((await notices()).map(({ body }) => body)).toEqual([
        'guide <b>.pdf: once',
        'guide <b>.pdf: 3 times',
      ])
      const [first, second] = await mails()
      expect(first).toMatchObject({ kind: 'email', payload: { template: 'file-downloaded' } })
      const { subject, text, html } = renderMail(second!.payload, 'https://files.example.com')
      expect(subject).toBe('guide <b>.pdf was downloaded')
      expect(text).toContain('guide <b>.pdf: 3 times')
      expect(text).toMatch(/https:\/\/files\.example\.com\/files\/file_[0-9a-f]{32}\n/)
      expect(html).toContain('guide &lt;b&gt;.pdf')
      expect(html).not.toContain('<b>')
    } finally {
      depot.time.now = start
    }
  })

  soakTest('reports several files together; two servers report nothing twice', async () => {
    const links = await Promise.all(
      ['b.pdf', 'a.pdf', 'c.pdf'].map((name) =>
        depot.addLink(SMALL, {}, { download_notification: true, filename: name }),
      ),
    )
    await Promise.all(links.flatMap(({ key }) => [get(port, key), get(secondPort, key)]))
    await depot.flush()
    await notifyDownloads(database, new Date(+depot.time.now + 60 * MINUTE_MS))
    const told = (await notices()).flatMap(({ body }) => body.split('\n'))
    const times = (name: string) =>
      told
        .filter((line) => line.startsWith(name))
        .reduce(
          (sum, line) => sum + (line.endsWith('once') ? 1 : Number(/(\d+) times/.exec(line)![1])),
          0,
        )
    for (const name of ['a.pdf', 'b.pdf', 'c.pdf']) expect([name, times(name)]).toEqual([name, 2])
    expect((await mails()).length).toBe((await notices()).length)
  })

  test('reports no file whose notification is off, or was turned off since', async () => {
    const [off, on] = [
      await depot.addLink(SMALL),
      await depot.addLink(SMALL, {}, { download_notification: true }),
    ]
    await get(port, off.key)
    await depot.flush()
    expect(
      await depot.scope.query('select 1 as one from download_notices where shop_id = :shop'),
    ).toEqual([])
    await get(port, on.key)
    await depot.flush()
    await get(port, on.key)
    await depot.flush()
    await depot.setFile(on.file, { download_notification: false })
    await notifyDownloads(database, new Date(+depot.time.now + 60 * MINUTE_MS))
    expect(await notices()).toHaveLength(1)
  })

  soakTest('reports to the other shops if one fails', async () => {
    const last = forShop(database, await createTestShop(database, 'last.myshopify.com'))
    for (const scope of [depot.scope, last]) {
      const [file] = await makeFiles(scope, [{ filename: 'popular.pdf' }])
      await scope.query(
        'update files set download_notification = true where shop_id = :shop and id = :file',
        { file },
      )
      await scope.insert('download_notices', { file_id: file, untold: 1 })
    }
    await database.pool.query(
      `create function refuse() returns trigger language plpgsql as $$
       begin if new.shop_id = ${depot.shop} then raise 'refused'; end if; return new; end $$;
       create trigger refuse before insert on notices for each row execute function refuse()`,
    )
    await expect(notifyDownloads(database, depot.time.now)).rejects.toThrow('refused')
    await database.pool.query('drop function refuse cascade')
    expect(await notices()).toEqual([])
    expect(await last.query('select level from notices where shop_id = :shop')).toEqual([
      { level: 'info' },
    ])
  })

  soakTest('creates only a notice without recipients', async () => {
    await settings([])
    const { key } = await depot.addLink(SMALL, {}, { download_notification: true })
    await get(port, key)
    await depot.flush()
    expect([(await notices()).length, (await mails()).length]).toEqual([1, 0])
  })
})
