// Limits and expiries of views: counted exactly, apart from downloads, one for each browser and session.
import { beforeAll, describe, expect, test } from 'vitest'
import { soakTest } from '../../../../test/scale.ts'
import { randomBytes } from 'node:crypto'
import {
  askForMore,
  get,
  openTestDepot,
  visit,
  type Answer,
  type Depot,
} from '../../../../test/delivery.ts'
import { ensurePack } from '../../../files/packs.ts'
import { extendLink, resetLink } from '../../links/model/changes.ts'
import { createPackLink } from '../../links/model/pack-links.ts'
import { toPublicId } from '../../../core/ids.ts'
import { sweepViewSessions } from '../view-sessions.ts'

const BYTES = Buffer.from('0123456789')
const PDF = { view: 'both', content_type: 'application/pdf' }
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let depot: Depot
let port: number
let database: Awaited<ReturnType<typeof openTestDepot>>['database']
beforeAll(async () => {
  const opened = await openTestDepot()
  ;({ depot, port, database } = opened)
  return opened.end
})

/** A browser that has our cookie already. */
const browser = () => ({ cookie: `stevedore_view=${randomBytes(16).toString('base64url')}` })
const press = (key: string, headers: Record<string, string>, at = port) =>
  visit(at, `/view?key=${key}`, headers, 'POST')
const open = (key: string, headers: Record<string, string> = {}) =>
  visit(port, `/view?key=${key}`, headers)
const plain = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&#x3D;', '=')
const bytesIn = ({ text }: Answer) =>
  [...text.matchAll(/src='(view\/bytes\?[^']+)'/g)].map(([, address]) => `/${plain(address!)}`)

async function views(id: string): Promise<number> {
  const { views: count } = await depot.scope.one<{ views: number }>(
    'select views from links where shop_id = :shop and id = :id',
    { id },
  )
  return count
}
async function refusals(id: string): Promise<string[]> {
  await depot.flush()
  const rows = await depot.scope.query<{ reason: string }>(
    'select reason from refused_downloads where shop_id = :shop and link_id = :id',
    { id },
  )
  return rows.map(({ reason }) => reason)
}
/** Runs `work` at a later time. */
async function after(ms: number, work: () => Promise<void>): Promise<void> {
  const start = depot.time.now
  depot.time.now = new Date(+start + ms)
  await work().finally(() => (depot.time.now = start))
}

describe('a limit of views', () => {
  test('a file that is only viewed is reported to webhooks with its last view', async () => {
    const { scope } = depot
    await scope.insert('webhook_endpoints', {
      id: crypto.randomUUID(),
      url: 'https://example.com/hook',
      secret: '',
      events: ['link.exhausted'],
    })
    const reported = async (id: string) => {
      const rows = await scope.query<{ payload: { data: object } }>(
        `select payload from outbox where shop_id = :shop and kind = 'webhook'
          and payload -> 'data' ->> 'id' = :id`,
        { id: toPublicId('link', id) },
      )
      return rows.map(({ payload }) => payload.data)
    }
    const only = { ...PDF, view: 'view_only' }
    const { key, id } = await depot.addLink(BYTES, { view_limit: 2 }, only)
    await press(key, browser())
    expect(await reported(id)).toEqual([])
    await press(key, browser())
    await press(key, browser())
    expect(await reported(id)).toMatchObject([{ views: 2, view_limit: 2, downloads: 0 }])
    const both = await depot.addLink(BYTES, { view_limit: 1 }, PDF)
    await press(both.key, browser())
    expect(await reported(both.id)).toEqual([])
  })

  test('is exact for parallel browsers over two processes, and uses no download', async () => {
    const { key, id } = await depot.addLink(BYTES, { view_limit: 3, download_limit: 1 }, PDF)
    const other = await depot.serve()
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => press(key, browser(), at % 2 ? port : other)),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 303)).toHaveLength(3)
    expect(statuses.filter((status) => status === 410)).toHaveLength(9)
    expect(await views(id)).toBe(3)
    expect((await depot.downloads(id)).downloads).toBe(0)
    expect((await get(port, key)).text).toBe('0123456789')
    expect(await views(id)).toBe(3)
    const refused = answers.find(({ status }) => status === 410)!
    expect(refused.text).toContain('This file has no views left')
    expect(refused.text).toContain('It could be viewed 3 times in the browser.')
    expect(refused.text).toContain(`name='key' value='${key}'`)
    expect(await refusals(id)).toEqual(['views_used_up'])
  })

  test('that is used up is named on the page of a link that can be downloaded', async () => {
    const { key } = await depot.addLink(BYTES, { view_limit: 1 }, PDF)
    const page = () => get(port, `${key}&page=1`, { accept: 'text/html' })
    expect((await page()).text).toContain('1 view left')
    expect((await press(key, browser())).status).toBe(303)
    const { text } = await page()
    expect([text.includes('no views left'), text.includes('view?key=')]).toEqual([true, false])
  })

  soakTest('is named with the button of a link that is only viewed', async () => {
    const { key } = await depot.addLink(BYTES, { view_limit: 2 }, { ...PDF, view: 'view_only' })
    const page = async () => (await get(port, key, { accept: 'text/html' })).text
    expect(await page()).toMatch(/Read<\/button>[\s\S]*2 views left/)
    expect((await press(key, browser())).status).toBe(303)
    expect(await page()).toContain('1 view left')
    expect((await press(key, browser())).status).toBe(303)
    expect(await page()).not.toMatch(/downloads? left|Download</)
  })

  test('counts parallel requests, reloads and parts of one browser once', async () => {
    const { key, id } = await depot.addLink(BYTES, { view_limit: 2 }, PDF)
    const first = browser()
    const pressed = await Promise.all(Array.from({ length: 6 }, () => press(key, first)))
    expect(pressed.map(({ status }) => status)).toEqual(Array(6).fill(303))
    const page = await open(key, first)
    expect([page.status, page.text.includes('1 view left after this one')]).toEqual([200, true])
    const [address] = bytesIn(page)
    for (const range of ['bytes=0-1', 'bytes=4-', 'bytes=2-3'])
      expect((await visit(port, address!, { ...first, range })).status).toBe(206)
    expect(bytesIn(await open(key, first))).toHaveLength(1)
    expect(await views(id)).toBe(1)
    // Another browser has its own session, and nobody else's address.
    expect((await visit(port, address!, browser())).status).toBe(403)
    await after(4 * HOUR_MS, async () => {
      expect((await visit(port, address!, first)).status).toBe(403)
      expect((await press(key, first)).status).toBe(303)
      expect(await views(id)).toBe(2)
      expect((await open(key, first)).status).toBe(200)
      expect((await open(key, browser())).status).toBe(410)
      expect((await press(key, first)).status).toBe(303)
    })
    await after(8 * HOUR_MS, async () => expect((await open(key, first)).status).toBe(410))
  })

  test('is not used by programs that follow addresses, nor by a browser that refuses cookies', async () => {
    const { key, id } = await depot.addLink(BYTES, { view_limit: 1 }, PDF)
    const page = await open(key)
    expect([page.status, plain(page.text).includes(`action='view?key=${key}'`)]).toEqual([
      200,
      true,
    ])
    expect(page.text).toContain('1 view is left, and opening the file uses one.')
    expect((await visit(port, `/view?key=${key}`, {}, 'HEAD')).status).toBe(200)
    const repeated = await press(key, {})
    expect(repeated.status).toBe(307)
    expect(repeated.headers.location).toBe(`view?key=${key}&cookie=1`)
    const refused = await visit(port, `/view?key=${key}&cookie=1`, {}, 'POST')
    expect([refused.status, refused.text.includes('This view needs a cookie')]).toEqual([403, true])
    expect(await views(id)).toBe(0)
    const [cookie] = repeated.headers['set-cookie']![0]!.split(';')
    const headers = { cookie: cookie! }
    expect((await visit(port, `/view?key=${key}&cookie=1`, headers, 'POST')).status).toBe(303)
    expect((await open(key, headers)).status).toBe(200)
    expect(await views(id)).toBe(1)
  })

  test('that is set while the file is open counts this view with its next part', async () => {
    const { key, id } = await depot.addLink(BYTES, {}, PDF)
    const [first, second] = [browser(), browser()]
    const pages = [await open(key, first), await open(key, second)].map(bytesIn)
    expect((await visit(port, pages[0]![0]!, first)).status).toBe(200)
    expect(await views(id)).toBe(0)
    await depot.setLink(id, { view_limit: 1 })
    expect((await visit(port, pages[0]![0]!, first)).status).toBe(200)
    expect((await visit(port, pages[0]![0]!, first)).status).toBe(200)
    expect((await visit(port, pages[1]![0]!, second)).status).toBe(410)
    expect(await views(id)).toBe(1)
    await resetLink(depot.scope, id)
    expect((await press(key, second)).status).toBe(303)
  })

  soakTest('counts each track of an album when it is first played', async () => {
    const pack = await ensurePack(depot.scope, 'Limited')
    for (const [at, limit] of [2, 1, null].entries())
      await depot.addFile(Buffer.from(`track ${at}`), {
        filename: `track-${at}.mp3`,
        name_key: `track-${at}.mp3`,
        pack_position: at,
        pack_id: pack,
        view: 'both',
        content_type: 'audio/mpeg',
        view_limit: limit,
      })
    const link = await createPackLink(depot.scope, depot.secrets, { pack_id: pack }, depot.time.now)
    const page = await get(port, link.key)
    expect(page.text).toContain('2 views left')
    const keys = [...plain(page.text).matchAll(/'view\?key=([\w-]{43})'/g)].map(([, key]) => key!)
    const first = browser()
    expect((await press(keys[0]!, first)).status).toBe(303)
    const tracks = bytesIn(await open(keys[0]!, first))
    expect(tracks).toHaveLength(3)
    for (const track of [...tracks, ...tracks])
      expect((await visit(port, track, first)).status).toBe(200)
    const counts = await depot.scope.query(
      `select l.views from links l join files f on f.shop_id = l.shop_id and f.id = l.file_id
       join pack_files k on k.shop_id = f.shop_id and k.file_id = f.id
       where l.shop_id = :shop and l.parent_id = :id order by k.position`,
      { id: link.id },
    )
    expect(counts).toEqual([{ views: 1 }, { views: 1 }, { views: 0 }])
    // The page of this browser still offers what runs in it, and others do not get the used-up track.
    const again = plain((await visit(port, `/download?key=${link.key}`, first)).text)
    expect(again).toContain(`href='view?key=${keys[1]}'`)
    expect(again).toContain('open in this browser until')
    const others = plain((await get(port, link.key)).text)
    expect([others.includes(`'view?key=${keys[1]}'`), others.includes('no views left')]).toEqual([
      false,
      true,
    ])
    expect(others).toContain('Some of these files have been viewed as often as this link allows.')
    const second = browser()
    expect((await press(keys[0]!, second)).status).toBe(303)
    expect(bytesIn(await open(keys[0]!, second))).toHaveLength(2)
  })

  soakTest('is told to the shop when the buyer asks for more', async () => {
    const { key } = await depot.addLink(BYTES, { view_limit: 1 }, { ...PDF, view: 'view_only' })
    const first = browser()
    expect((await press(key, first)).status).toBe(303)
    // A file that is only viewed has nothing else.
    const used = await get(port, key)
    expect([used.status, used.text.includes('This file has no views left')]).toEqual([410, true])
    expect(plain((await get(port, key, first)).text)).toContain(`href='view?key=${key}'`)
    const told = async (of: string, headers = {}) => {
      expect((await askForMore(port, { key: of }, headers)).status).toBe(200)
      const [notice] = await depot.scope.query<{ body: string }>(
        `select body from notices where shop_id = :shop and title like 'A customer asks for more%'
         order by id desc limit 1`,
      )
      return notice?.body
    }
    expect(await told(key)).toContain('Their link has reached its limit of views.')
    // The browser whose view runs still has the file.
    const running = await depot.addLink(BYTES, { view_limit: 1 }, { ...PDF, view: 'view_only' })
    expect((await press(running.key, first)).status).toBe(303)
    expect(await told(running.key, first)).toContain('Their link still works.')
  })
})

describe('an expiry of views', () => {
  test('ends them before the downloads, and leads to the download', async () => {
    const { key, id } = await depot.addLink(BYTES, { view_days: 1, expiry_days: 9 }, PDF)
    const first = browser()
    const [address] = bytesIn(await open(key, first))
    await after(DAY_MS, async () => {
      const ended = await open(key, first)
      expect(ended.status).toBe(410)
      expect(ended.text).toContain('This file can no longer be viewed')
      expect(plain(ended.text)).toContain(`href='download?key=${key}&page=1'`)
      expect((await visit(port, address!, first)).status).toBe(403)
      expect((await get(port, key)).text).toBe('0123456789')
      expect(await refusals(id)).toEqual(['views_expired'])
      await extendLink(depot.scope, id, 30, depot.time.now)
      expect((await open(key, first)).status).toBe(200)
    })
  })

  soakTest('can be later than that of the downloads', async () => {
    const { key } = await depot.addLink(BYTES, { view_days: 9, expiry_days: 1 }, PDF)
    const only = await depot.addLink(
      BYTES,
      { view_days: 9, expiry_days: 1 },
      { ...PDF, view: 'view_only' },
    )
    await after(2 * DAY_MS, async () => {
      const expired = await get(port, key)
      expect([expired.status, expired.text.includes('This link has expired')]).toEqual([410, true])
      expect(plain(expired.text)).toContain(`href='view?key=${key}'`)
      expect((await open(key)).status).toBe(200)
      const shown = await visit(port, `/download?key=${only.key}&page=1`)
      expect([shown.status, plain(shown.text).includes(`href='view?key=${only.key}'`)]).toEqual([
        200,
        true,
      ])
    })
    await after(9 * DAY_MS, async () => {
      for (const one of [key, only.key]) {
        const ended = await open(one)
        expect([ended.status, ended.text.includes('This file can no longer be viewed')]).toEqual([
          410,
          true,
        ])
      }
    })
  })
})

soakTest('days of a pack’s file count from when its own link was made', async () => {
  const pack = await ensurePack(depot.scope, 'Course')
  const add = (filename: string) =>
    depot.addFile(Buffer.from(filename), {
      ...PDF,
      filename,
      name_key: filename,
      pack_id: pack,
      view_days: 2,
    })
  await add('first.pdf')
  const wanted = { pack_id: pack, expiry_days: 30 }
  const link = await createPackLink(depot.scope, depot.secrets, wanted, depot.time.now)
  const viewable = async () =>
    (plain((await visit(port, `/download?key=${link.key}`)).text).match(/href='view/g) ?? []).length
  await after(3 * DAY_MS, async () => {
    expect(await viewable()).toBe(1)
    await add('second.pdf')
  })
  await after(4 * DAY_MS, async () => expect(await viewable()).toBe(2))
  await after(5.5 * DAY_MS, async () => expect(await viewable()).toBe(1))
})

soakTest('a picture is shown as long as the file can be viewed', async () => {
  const image = Buffer.from('a small picture')
  const at = await depot.serve({ readPicture: () => Promise.resolve({ image, hash: '' }) })
  const { key } = await depot.addLink(
    BYTES,
    { view_days: 9, expiry_days: 1 },
    { ...PDF, view: 'view_only' },
  )
  const status = async () => (await visit(at, `/download/picture?key=${key}`)).status
  expect(await status()).toBe(200)
  await after(2 * DAY_MS, async () => expect(await status()).toBe(200))
  await after(9 * DAY_MS, async () => expect(await status()).toBe(404))
})

test('sessions that have ended are deleted', async () => {
  const { key } = await depot.addLink(BYTES, { view_limit: 2 }, PDF)
  await press(key, browser())
  await after(5 * HOUR_MS, async () => {
    expect(await sweepViewSessions(database.pool, depot.time.now)).toBeGreaterThan(0)
    expect(await sweepViewSessions(database.pool, depot.time.now)).toBe(0)
  })
})
