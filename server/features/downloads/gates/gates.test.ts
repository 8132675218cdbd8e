// Links that ask before a download: no way leads past the question, wrong answers are limited
// exactly, and the seller sees who answered.
import { randomBytes } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { soakTest } from '../../../../test/scale.ts'
import { downloadPasswordHash } from '../../../../plugins/contract/index.ts'
import { ensurePack } from '../../../files/packs.ts'
import { openTestDepot, pressed, visit, breakOff, type Depot } from '../../../../test/delivery.ts'
import { createPackLink } from '../../links/model/pack-links.ts'
import { WRONG_PER_LINK, WRONG_PER_NETWORK } from './gates.ts'
import { listOpenings } from './openings.ts'

let depot: Depot
let port: number
let second: number
beforeAll(async () => {
  const opened = await openTestDepot()
  ;({ depot, port } = opened)
  second = await depot.serve()
  return opened.end
})
// All requests of the tests come from one network.
beforeEach(async () => void (await depot.database.pool.query('delete from rate_limits')))

const EMAIL = 'Buyer@Example.com'
const PASSWORD = 'mar y sol 24'
const FILE = Buffer.from('the file')
const HTML = 'text/html; charset=utf-8'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const hashed = await downloadPasswordHash(PASSWORD, 'harbour.myshopify.com')

const answer = (
  key: string,
  given: string,
  {
    at = port,
    headers = {},
    ...fields
  }: { at?: number; headers?: object } & Record<string, unknown> = {},
) => {
  const form = { key, answer: given, ...fields } as Record<string, string>
  const all = { ...FORM, ...(headers as Record<string, string>) }
  return visit(at, '/download/open', all, 'POST', new URLSearchParams(form).toString())
}
/** The address to which a right answer leads. */
const opened = async (key: string, given: string, fields = {}) => {
  const { status, headers } = await answer(key, given, fields)
  expect(status).toBe(303)
  return `/${headers.location!.replace(/^\.\.\//, '')}`
}
const plain = (html: string) => html.replaceAll('&amp;', '&').replaceAll('&#x3D;', '=')
const tokenOf = (address: string) => /open=([^&]*)/.exec(address)![1]!
const emailLink = (file: object = {}, terms: object = {}) =>
  depot.addLink(FILE, { email: EMAIL, ask_for: 'email', ...terms }, file as never)
const downloads = async (id: string) => (await depot.downloads(id)).downloads
const reasons = async (link: string) => {
  await depot.flush()
  return depot.scope.query<{ reason: string; times: number }>(
    'select reason, times from refused_downloads where shop_id = :shop and link_id = :link',
    { link },
  )
}

describe('before the answer', () => {
  test('no request gets the file, its length or its digest', async () => {
    const { key, id, file } = await emailLink()
    const [row] = await depot.scope.query<{ hash: Buffer }>(
      'select hash from versions where shop_id = :shop and file_id = :file',
      { file },
    )
    const hash = row!.hash.toString('hex')
    const tries: [string, Record<string, string>][] = [
      ['GET', {}],
      ['HEAD', {}],
      ['GET', { range: 'bytes=0-1' }],
      ['GET', { range: 'bytes=3-' }],
      ['GET', { range: 'bytes=900-' }],
      ['GET', { 'if-none-match': `"${hash}"` }],
      ['GET', { 'if-match': '"other"' }],
      ['GET', { 'user-agent': 'Mimecast' }],
    ]
    for (const [method, headers] of tries)
      for (const path of [
        `/download?key=${key}`,
        `/download?key=${key}&page=1`,
        `/view?key=${key}`,
      ]) {
        const got = await visit(port, path, headers, method)
        expect([200, 403]).toContain(got.status)
        expect(got.headers['content-type']).toBe(HTML)
        expect(got.headers.etag ?? got.headers['repr-digest']).toBeUndefined()
        expect(got.text).not.toMatch(/SHA-256|the file(?!name)/)
      }
    expect((await visit(port, `/download/picture?key=${key}`)).status).toBe(404)
    const download = await pressed(port, `/download?key=${key}&page=1`)
    expect((await visit(port, download)).status).toBe(403)
    const json = await visit(port, `/download?key=${key}`, { accept: 'application/json' })
    expect(JSON.parse(json.text)).toMatchObject({ error: { code: 'link_locked', status: 403 } })
    expect(await downloads(id)).toBe(0)
    expect(await reasons(id)).toEqual([])
  })

  test('a link that was served from memory asks from the next request on', async () => {
    const { key, file } = await depot.addLink(FILE)
    expect((await visit(port, `/download?key=${key}`)).text).toBe('the file')
    await depot.setFile(file, { ask_for: hashed })
    expect((await visit(port, `/download?key=${key}`)).status).toBe(403)
    await depot.setFile(file, { ask_for: null })
    expect((await visit(port, `/download?key=${key}`)).text).toBe('the file')
  })

  test('a public file that asks for something has no public address', async () => {
    const { path, file } = await depot.addPublic(FILE)
    expect((await visit(port, path)).status).toBe(200)
    await depot.setFile(file, { ask_for: 'email' })
    expect((await visit(port, path)).status).toBe(404)
    expect((await visit(port, path, { range: 'bytes=1-' })).status).toBe(404)
  })
})

describe('the answer', () => {
  test('is the address of the link, in any case; then the button downloads, and one download is counted', async () => {
    const { key, id } = await emailLink({}, { download_limit: 1 })
    const page = await opened(key, ' buyer@example.COM ')
    const { text } = await visit(port, page)
    expect(text).toContain('SHA-256')
    const [, action] = /method='post' action='([^']*)'/.exec(text)!
    const form = action!.replaceAll('&#x3D;', '=').replaceAll('&amp;', '&')
    const download = await pressed(port, `/${form}`)
    expect((await visit(port, download)).text).toBe('the file')
    expect(await downloads(id)).toBe(1)
    expect(await listOpenings(depot.scope, id)).toMatchObject([
      { email: EMAIL.toLowerCase(), address: '127.0.0.0/24', filename: expect.any(String) },
    ])
  })

  soakTest('of a link without an address is any address, which the seller sees', async () => {
    const { key, id } = await depot.addLink(
      FILE,
      { ask_for: 'email' },
      { download_tracking: false },
    )
    expect((await answer(key, 'no address')).status).toBe(422)
    expect((await visit(port, await opened(key, 'New@Example.com'))).status).toBe(200)
    expect(await listOpenings(depot.scope, id)).toMatchObject([
      { email: 'new@example.com', address: '', agent: '' },
    ])
  })

  test('is a password, which is not shown again and whose change ends the answers before', async () => {
    const { key, id } = await depot.addLink(FILE, { ask_for: hashed })
    const wrong = await answer(key, 'Mar y sol 24')
    expect([wrong.status, wrong.text.includes('Mar y sol')]).toEqual([403, false])
    const page = await opened(key, `${PASSWORD} `)
    expect((await visit(port, page)).text).toContain("method='post' action='download?key")
    await depot.setLink(id, { ask_for: await downloadPasswordHash('another one', 'a') })
    expect((await visit(port, page)).text).toContain("action='download/open'")
    expect(await reasons(id)).toEqual([{ reason: 'wrong_answer', times: 1 }])
    expect(await listOpenings(depot.scope, id)).toMatchObject([{ email: null }])
  })

  test('opens for half an hour, this link alone; a download that began may be continued', async () => {
    const { key } = await depot.addLink(Buffer.alloc(600_000, 'x'), {
      ask_for: hashed,
      download_limit: 3,
    })
    const other = await depot.addLink(FILE, { ask_for: hashed })
    const token = tokenOf(await opened(key, PASSWORD))
    expect((await visit(port, `/download?key=${other.key}&open=${token}`)).status).toBe(403)
    const download = await pressed(port, `/download?key=${key}&page=1&open=${token}`)
    const { etag } = await breakOff(port, download)
    const time = depot.time.now
    depot.time.now = new Date(time.getTime() + 29 * 60_000)
    expect((await visit(port, download, { range: 'bytes=9-', 'if-range': etag })).status).toBe(206)
    depot.time.now = new Date(time.getTime() + 31 * 60_000)
    expect((await visit(port, download, { range: 'bytes=9-', 'if-range': etag })).status).toBe(206)
    for (const path of [
      `/download?key=${key}&open=${token}`,
      await pressed(port, `/download?key=${key}&page=1&open=${token}`),
    ])
      expect((await visit(port, path)).status).toBe(403)
    depot.time.now = new Date(time.getTime() + 25 * 3_600_000)
    expect((await visit(port, download, { range: 'bytes=9-' })).status).toBe(403)
    depot.time.now = time
  })

  test('of a link that has ended is not compared', async () => {
    const { key, id } = await emailLink()
    await depot.setLink(id, { revoked_at: depot.time.now })
    expect((await answer(key, 'other@example.com')).status).toBe(410)
    expect((await answer('a'.repeat(43), EMAIL)).status).toBe(404)
    expect((await visit(port, '/download/open')).status).toBe(405)
    expect(await reasons(id)).toEqual([])
  })
})

describe('wrong answers', () => {
  test('of a link are limited exactly over two processes in parallel, with the time that is left', async () => {
    const { key, id } = await depot.addLink(FILE, { ask_for: hashed })
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        answer(key, `a wrong password ${at}`, { at: at % 2 ? port : second }),
      ),
    )
    const statuses = all.map(({ status }) => status)
    expect(statuses.filter((status) => status === 403)).toHaveLength(WRONG_PER_LINK)
    expect(statuses.filter((status) => status === 429)).toHaveLength(40 - WRONG_PER_LINK)
    const closed = await answer(key, PASSWORD, { headers: { 'accept-language': 'de' } })
    expect(closed.status).toBe(429)
    const left = Number(closed.headers['retry-after'])
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThanOrEqual(15 * 60)
    expect(closed.text).toContain(`in ${Math.ceil(left / 60)} Minute`)
    expect(await reasons(id)).toEqual([{ reason: 'wrong_answer', times: WRONG_PER_LINK }])
    await depot.database.pool.query('update rate_limits set expire = 1')
    expect((await answer(key, PASSWORD)).status).toBe(303)
  })

  soakTest('of a network are limited over all links', async () => {
    const links = await Promise.all(
      Array.from({ length: WRONG_PER_NETWORK / WRONG_PER_LINK + 1 }, () => emailLink()),
    )
    const statuses: number[] = []
    for (const { key } of links)
      for (let at = 0; at < WRONG_PER_LINK; at++)
        statuses.push((await answer(key, `guess${at}@example.com`)).status)
    expect(statuses.filter((status) => status === 403)).toHaveLength(WRONG_PER_NETWORK)
    expect(statuses.slice(WRONG_PER_NETWORK)).toEqual(Array(WRONG_PER_LINK).fill(429))
  })

  test('are not right ones, nor addresses that cannot be one', async () => {
    const { key } = await emailLink()
    for (let at = 0; at < WRONG_PER_LINK * 2; at++) {
      expect((await answer(key, EMAIL)).status).toBe(303)
      expect((await answer(key, 'x')).status).toBe(422)
    }
    const wrong = await answer(key, 'other@example.com')
    expect(wrong.text).toContain(`You have ${WRONG_PER_LINK - 1} more tries for now`)
  })
})

describe('a page with several files', () => {
  /** A pack with an open file and two that ask; its link and the keys of the files. */
  async function makePack(asks: readonly (string | null)[], own: object = {}) {
    const pack = await ensurePack(depot.scope, `Course ${randomBytes(4).toString('hex')}`)
    for (const [at, ask_for] of asks.entries())
      await depot.addFile(Buffer.from(`bytes of ${at}`), {
        ask_for,
        pack_id: pack,
        pack_position: at,
        view: 'both',
        content_type: 'audio/mpeg',
      })
    const terms = { pack_id: pack, email: EMAIL, download_limit: 5, ...own }
    return createPackLink(depot.scope, depot.secrets, terms, depot.time.now)
  }
  const rows = (text: string) =>
    [...text.matchAll(/<li>([^]*?)<\/li>/g)].map(([, row]) => ({
      key: /key&#x3D;([\w-]{43})/.exec(row!)?.[1] ?? '',
      buttons: [...row!.matchAll(/>(Download|Unlock|Play)</g)].map(([, text]) => text),
    }))
  /** The key of the file whose question each button leads to. */
  const unlocks = (text: string) =>
    [...plain(text).matchAll(/href='download\?key=([\w-]{43})[^']*&from=[^>]*>\s*Unlock/g)].map(
      ([, key]) => key!,
    )
  const zip = async (key: string, query: string, headers = {}) => {
    const got = await visit(port, `/download?key=${key}&all=1${query}`, headers)
    return [...got.body.toString('latin1').matchAll(/bytes of (\d)/g)].map(([, at]) => at)
  }

  test('asks once for all files that ask the same; the ZIP file has those that are open', async () => {
    const { key } = await makePack([null, 'email', 'email', hashed])
    const page = (await visit(port, `/download?key=${key}`)).text
    expect(rows(page).map(({ buttons }) => buttons)).toEqual([
      ['Download', 'Play'],
      ...Array(3).fill([]),
    ])
    expect(plain(page)).toContain('2 files ask for your email address.')
    expect(unlocks(page)).toHaveLength(2)
    expect(page).not.toContain('download?key&#x3D;' + key + '&amp;page&#x3D;1&amp;all')
    expect(await zip(key, '')).toEqual(['0'])
    const [asking, secret] = unlocks(page) as [string, string]
    const list = await opened(asking, EMAIL, { from: key })
    expect(list).toContain(`/download?key=${key}&open=`)
    const open = (await visit(port, list)).text
    expect(rows(open).map(({ buttons }) => buttons)).toEqual([
      ...Array(3).fill(['Download', 'Play']),
      [],
    ])
    expect(unlocks(open)).toEqual([secret])
    const token = tokenOf(list)
    expect(await zip(key, `&open=${token}`)).toEqual(['0', '1', '2'])
    const both = await opened(secret, PASSWORD, { from: key, open: token })
    expect(await zip(key, both.slice(both.indexOf('&open=')))).toEqual(['0', '1', '2', '3'])
    // The session of that ZIP file continues for its answers alone.
    expect(await zip(key, '', { range: 'bytes=1-' })).toEqual(['0'])
    expect(await zip(key, `&open=${token}`, { range: 'bytes=1-' })).not.toContain('3')
  })

  soakTest(
    'a browser that has answered is not asked again, also on another file of the page',
    async () => {
      const { key } = await makePack(['email', 'email', hashed])
      const [asking] = unlocks((await visit(port, `/download?key=${key}`)).text)
      const answered = await answer(asking!, EMAIL, { from: key })
      const [set = ''] = answered.headers['set-cookie'] ?? []
      expect(set).toMatch(
        /^stevedore_open=[\w.~-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
      )
      const cookie = set.split(';')[0]!
      const again = (await visit(port, `/download?key=${key}`, { cookie })).text
      expect(rows(again).map(({ buttons }) => buttons)).toEqual([
        ...Array(2).fill(['Download', 'Play']),
        [],
      ])
      // A program to which the address is handed over has no cookie.
      const [, handed = ''] = /action='(download\?key=[^']*open=[^']*)'/.exec(plain(again)) ?? []
      expect((await visit(port, `/${handed}`)).text).not.toContain('download/open')
      // It is no answer for another page, nor in an address, and ends after 30 days.
      const other = await makePack(['email'])
      const stranger = (await visit(port, `/download?key=${other.key}`, { cookie })).text
      expect(unlocks(stranger)).toHaveLength(1)
      const token = cookie.slice(cookie.indexOf('=') + 1)
      expect(await zip(key, `&open=${token}`)).toEqual([])
      const start = depot.time.now
      depot.time.now = new Date(+start + 30 * 86_400_000)
      try {
        const late = (await visit(port, `/download?key=${key}`, { cookie })).text
        expect(unlocks(late)).toHaveLength(2)
      } finally {
        depot.time.now = start
      }
    },
  )

  soakTest(
    'a browser that has answered downloads what asks for nothing without a further statement',
    async () => {
      const { database } = depot
      const own = await depot.serve({ database })
      const { key, id } = await depot.addLink(FILE)
      const [set = ''] = (await answer((await emailLink()).key, EMAIL)).headers['set-cookie'] ?? []
      const asked = vi.spyOn(database.pool, 'query')
      const cookie = set.split(';')[0]!
      for (let n = 0; n < 2; n++)
        expect((await visit(own, `/download?key=${key}`, { cookie })).text).toBe('the file')
      const names = asked.mock.calls.map(([query]) => (query as { name?: string }).name)
      asked.mockRestore()
      expect(names).not.toContain('delivery_look_up')
      expect(await downloads(id)).toBe(2)
    },
  )

  test('a view needs the answer too, and lists open tracks alone', async () => {
    const { key } = await makePack([null, 'email', hashed])
    const page = (await visit(port, `/download?key=${key}`)).text
    const [[first], [asking]] = [rows(page), unlocks(page)]
    const tracks = (text: string) => text.match(/class='track'/g)?.length ?? 0
    expect(tracks((await visit(port, `/view?key=${first!.key}`)).text)).toBe(1)
    expect(tracks((await visit(port, `/view?key=${asking}`)).text)).toBe(0)
    const view = await opened(asking!, EMAIL, { to: 'view' })
    const got = await visit(port, view)
    expect(tracks(got.text)).toBe(2)
    const cookie = got.headers['set-cookie']![0]!.split(';')[0]!
    const sources = [...got.text.matchAll(/data-src='([^']*)'/g)].map(([, src]) =>
      src!.replaceAll('&#x3D;', '=').replaceAll('&amp;', '&'),
    )
    for (const [at, src] of sources.entries()) {
      expect((await visit(port, `/${src}`, { cookie })).text).toBe(`bytes of ${at}`)
      const without = await visit(port, `/${src.replace(/&open=.*/, '')}`, { cookie })
      expect(without.status).toBe(at === 0 ? 200 : 403)
    }
  })

  soakTest('an answer leads to the view where only that is left', async () => {
    const page = async (key: string) => plain((await visit(port, `/download?key=${key}`)).text)
    const { key, id } = await makePack(['email'], { download_limit: 1 })
    await page(key)
    await depot.scope.query(
      'update links set downloads = 1 where shop_id = :shop and parent_id = :id',
      { id },
    )
    const [, unlock = ''] = /href='(view\?key=[^']*)'/.exec(await page(key)) ?? []
    expect(unlock).toContain(`&from=${key}`)
    const asks = await visit(port, `/${unlock}`)
    expect([asks.status, asks.text.includes('download/open')]).toEqual([200, true])
    // The link of a file that is only viewed has expired before its views.
    const file = { view: 'view_only', content_type: 'audio/mpeg' }
    const only = await emailLink(file, { expiry_days: 1, view_days: 9 })
    const start = depot.time.now
    depot.time.now = new Date(+start + 2 * 86_400_000)
    try {
      expect(await page(only.key)).toContain('download/open')
      const shown = await visit(port, await opened(only.key, EMAIL))
      expect(plain(shown.text)).toContain(`href='view?key=${only.key}`)
      // A file that is also downloaded has only its view left: the refusal leads there.
      const both = await emailLink({ ...file, view: 'both' }, { expiry_days: 1, view_days: 9 })
      depot.time.now = new Date(+depot.time.now + 2 * 86_400_000)
      const refused = await answer(both.key, EMAIL)
      expect([refused.status, plain(refused.text).includes(`view?key=${both.key}`)]).toEqual([
        410,
        true,
      ])
    } finally {
      depot.time.now = start
    }
  })

  test('the link of a pack asks before its page, for all its files', async () => {
    const { key } = await makePack([null, null], { ask_for: 'email' })
    const before = await visit(port, `/download?key=${key}`)
    expect([before.status, rows(before.text)]).toEqual([403, []])
    expect((await visit(port, `/download?key=${key}&all=1`)).status).toBe(403)
    const page = await visit(port, await opened(key, EMAIL))
    expect(rows(page.text).map(({ buttons }) => buttons)).toEqual(
      Array(2).fill(['Download', 'Play']),
    )
    const [file] = rows(page.text)
    expect((await visit(port, `/download?key=${file!.key}`)).status).toBe(403)
  })
})
