import { beforeAll, describe, expect, test } from 'vitest'
import { soakTest } from '../../../../test/scale.ts'
import { get, visit, openTestDepot, type Depot } from '../../../../test/delivery.ts'
import { ensurePack } from '../../../files/packs.ts'
import { createPackLink } from '../../links/model/pack-links.ts'
import { revokeLinks } from '../../links/model/changes.ts'

const BYTES = Buffer.from('0123456789')
const PDF = { view: 'both', content_type: 'application/pdf' }
const ONLY = { ...PDF, view: 'view_only' }
const DAY_MS = 86_400_000

let depot: Depot
let port: number
beforeAll(async () => {
  const opened = await openTestDepot()
  ;({ depot, port } = opened)
  return opened.end
})

const open = (key: string, headers: Record<string, string> = {}) =>
  visit(port, `/view?key=${key}`, headers)

/** Opens the viewer as a browser does: the address of the bytes, and the cookie for them. */
async function opened(key: string) {
  const page = await open(key)
  expect(page.status).toBe(200)
  const bytes = /(?:data-)?src='(view\/bytes\?[^']+)'/.exec(page.text)![1]!
  const cookie = page.headers['set-cookie']![0]!.split(';')[0]!
  return { page, address: `/${bytes.replaceAll('&amp;', '&').replaceAll('&#x3D;', '=')}`, cookie }
}

describe('a view', () => {
  test('serves the bytes to the browser that opened it, by ranges, and counts no download', async () => {
    const { key, id } = await depot.addLink(BYTES, { download_limit: 1 }, PDF)
    const { page, address, cookie } = await opened(key)
    expect(page.headers['content-security-policy']).toContain(`script-src 'self';`)
    expect(page.headers['set-cookie']![0]).toMatch(/HttpOnly; SameSite=Lax$/)
    const whole = await visit(port, address, { cookie })
    expect([whole.status, whole.text]).toEqual([200, '0123456789'])
    const part = await visit(port, address, { cookie, range: 'bytes=2-4' })
    expect([part.status, part.text, part.headers['content-range']]).toEqual([
      206,
      '234',
      'bytes 2-4/10',
    ])
    expect((await visit(port, address)).status).toBe(403)
    const stranger = { cookie: `stevedore_view=${'A'.repeat(22)}` }
    expect((await visit(port, address, stranger)).status).toBe(403)
    const typed = await visit(port, address, { cookie, 'sec-fetch-dest': 'document' })
    expect([typed.status, typed.text.includes('This view has ended')]).toEqual([403, true])
    expect((await open(key, { cookie })).headers['set-cookie']).toBeUndefined()
    expect((await depot.downloads(id)).downloads).toBe(0)
    // Its download is independent of the view, and a used-up limit does not end views.
    expect((await get(port, key)).status).toBe(200)
    const usedUp = await get(port, key)
    expect([usedUp.status, usedUp.text.includes(`'view?key&#x3D;${key}'`)]).toEqual([410, true])
    expect((await visit(port, address, { cookie })).status).toBe(200)
    expect((await open(key)).status).toBe(200)
  })

  test('ends when its link expires or is revoked, and some hours after it was opened', async () => {
    const { key, id } = await depot.addLink(BYTES, { expiry_days: 1 }, PDF)
    const { address, cookie } = await opened(key)
    const start = depot.time.now
    try {
      depot.time.now = new Date(+start + 5 * 3_600_000)
      expect((await visit(port, address, { cookie })).status).toBe(403)
      depot.time.now = new Date(+start + DAY_MS - 1000)
      const later = await opened(key)
      depot.time.now = new Date(+start + DAY_MS)
      const refused = [await open(key), await visit(port, later.address, { cookie: later.cookie })]
      for (const { status, text } of refused)
        expect([status, text.includes('This link has expired')]).toEqual([410, true])
    } finally {
      depot.time.now = start
    }
    await revokeLinks(depot.scope, [id])
    depot.invalidate()
    expect((await visit(port, address, { cookie })).status).toBe(410)
    expect((await open(key)).text).toContain('This link was withdrawn')
    expect((await open('x')).status).toBe(404)
  })

  soakTest('shows the new version only when it is opened again', async () => {
    const { key, file } = await depot.addLink(BYTES, {}, PDF)
    const { address, cookie } = await opened(key)
    const other = await depot.addFile(Buffer.from('other'))
    await depot.scope.query(
      `insert into versions (shop_id, file_id, number, hash, location, size_bytes, content_type)
       select shop_id, :file, 2, hash, location, size_bytes, content_type from versions
       where shop_id = :shop and file_id = :other`,
      { file, other },
    )
    await depot.setFile(file, { version: 2 })
    expect((await visit(port, address, { cookie })).status).toBe(412)
    const again = await opened(key)
    expect((await visit(port, again.address, { cookie: again.cookie })).text).toBe('other')
    const forged = address.replace(/hash=[0-9a-f]{4}/, 'hash=0000')
    expect((await visit(port, forged, { cookie })).status).toBe(403)
  })

  soakTest('leads to the page of the link where nothing can be viewed', async () => {
    const links = [
      await depot.addLink(BYTES, {}, { view: 'download' }),
      await depot.addLink(BYTES, {}, { view: 'both', content_type: 'application/zip' }),
      await depot.addLink(BYTES, {}, { view: 'both', content_type: 'image/svg+xml' }),
    ]
    for (const { key } of links) {
      const answer = await open(key)
      expect([answer.status, answer.headers.location]).toEqual([303, `download?key=${key}&page=1`])
    }
  })
})

describe('a file that is only viewed', () => {
  test('refuses every download, and says where it is viewed', async () => {
    const { key, id } = await depot.addLink(BYTES, {}, ONLY)
    const page = await get(port, key)
    expect([page.status, page.text.includes('This file can be viewed here')]).toEqual([403, true])
    expect(page.text).toContain(`href='view?key&#x3D;${key}'`)
    expect((await get(port, key, { range: 'bytes=0-1' })).status).toBe(403)
    expect((await get(port, key, {}, 'HEAD')).status).toBe(403)
    const asked = await get(port, key, { accept: 'application/json' })
    expect(JSON.parse(asked.text)).toMatchObject({ error: { code: 'file_view_only' } })
    const offered = await visit(port, `/download?key=${key}&page=1`)
    expect([offered.text.includes('>Read<'), offered.text.includes('Download<')]).toEqual([
      true,
      false,
    ])
    const { page: view, address, cookie } = await opened(key)
    expect(view.text).not.toContain('download?key')
    expect((await visit(port, address, { cookie })).text).toBe('0123456789')
    expect((await depot.downloads(id)).served).toBe(0)
    const open = await depot.addPublic(BYTES, ONLY)
    expect((await visit(port, open.path)).status).toBe(404)
    // Its buyers could not use it otherwise.
    const zip = await depot.addLink(BYTES, {}, { ...ONLY, content_type: 'application/zip' })
    expect((await get(port, zip.key)).status).toBe(200)
  })
})

test('the page of a pack offers views beside downloads, tracks and subtitles', async () => {
  const pack = await ensurePack(depot.scope, 'Album')
  const add = (filename: string, at: number, fields: Record<string, unknown>) =>
    depot.addFile(Buffer.from(filename), {
      filename,
      name_key: filename.toLowerCase(),
      pack_id: pack,
      pack_position: at,
      ...fields,
    })
  await add('one.mp3', 1, { view: 'both', content_type: 'audio/mpeg' })
  await add('two.mp3', 2, { view: 'view_only', content_type: 'audio/mpeg' })
  await add('film.mp4', 3, { view: 'both', content_type: 'video/mp4' })
  await add('film.de.vtt', 4, { content_type: 'text/vtt' })
  await add('other.vtt', 5, { content_type: 'text/vtt' })
  await add('film.srt', 6, { content_type: 'application/x-subrip' })
  const link = await createPackLink(depot.scope, depot.secrets, { pack_id: pack }, depot.time.now)
  const { text } = await get(port, link.key)
  const rows = [...text.matchAll(/<li>([^]*?)<\/li>/g)].map(([, row = '']) => [
    /<bdi class='name'>([^<]*)</.exec(row)![1],
    row.includes('view?key'),
    row.includes('download?key'),
  ])
  expect(rows).toEqual([
    ['one.mp3', true, true],
    ['two.mp3', true, false],
    ['film.mp4', true, true],
    ['film.de.vtt', false, true],
    ['other.vtt', false, true],
    ['film.srt', false, true],
  ])
  const views = [...text.matchAll(/view\?key&#x3D;([\w-]{43})/g)].map(([, key]) => key!)
  const album = await open(views[0]!)
  expect(
    [...album.text.matchAll(/'track'[^>]*>([^<]*)<\/button>/g)].map(([, name]) => name),
  ).toEqual(['one.mp3', 'two.mp3'])
  expect(album.text).toContain(`href='download?key&#x3D;${link.key}'`)
  const film = await open(views[2]!)
  expect([...film.text.matchAll(/srclang='([^']*)'/g)].map(([, tag]) => tag)).toEqual(['de'])
  const [german, other] = [...film.text.matchAll(/<track[^>]*>/g)].map(([track]) => track)
  expect([german?.includes('default'), other?.includes('default')]).toEqual([false, true])
  const address = /src='(view\/bytes\?[^']+)'/.exec(other ?? '')?.[1] ?? ''
  const cookie = film.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  const written = await visit(port, `/${address.replace(/&amp;/g, '&').replace(/&#x3D;/g, '=')}`, {
    cookie,
  })
  expect([written.headers['content-type'], written.text]).toEqual([
    'text/vtt; charset=utf-8',
    'WEBVTT\n\nfilm.srt',
  ])
  const zip = await get(port, `${link.key}&all=1`)
  expect([zip.status, zip.text.includes('two.mp3'), zip.text.includes('one.mp3')]).toEqual([
    200,
    false,
    true,
  ])
})

soakTest(
  'a view is recorded once for each hour, with the last program, and 20 are kept',
  async () => {
    const link = await depot.addLink(BYTES, {}, PDF)
    const start = depot.time.now
    const view = async (agent: string) => {
      const { address, cookie } = await opened(link.key)
      expect((await visit(port, address, { cookie, 'user-agent': agent })).status).toBe(200)
    }
    const rows = async () => {
      await depot.flush()
      return depot.scope.query<{ agent: string }>(
        'select agent from file_views where shop_id = :shop and link_id = :link order by at',
        { link: link.id },
      )
    }
    await view('curl/8')
    await view('Wget/1')
    expect(await rows()).toHaveLength(1)
    for (let hour = 1; hour <= 21; hour++) {
      depot.time.now = new Date(start.getTime() + hour * 3_600_000)
      await view('curl/8')
    }
    expect(await rows()).toHaveLength(20)
    depot.time.now = start
  },
)

test('serves the scripts and parts of pdf.js that it needs, and no others', async () => {
  const { key } = await depot.addLink(BYTES, {}, PDF)
  const folder = /view\/assets\/[0-9a-f]{16}/.exec((await open(key)).text)![0]
  const status = async (name: string) => (await visit(port, `/${folder}/${name}`)).status
  expect(await status('player.js')).toBe(200)
  expect(await status('pdfjs/legacy/build/pdf.worker.min.mjs')).toBe(200)
  for (const name of ['pdfjs/package.json', 'pdfjs/build/pdf.mjs', 'pdfjs/cmaps/../package.json'])
    expect(await status(name)).toBe(404)
})
