import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { createPackLink, type NewPackLink } from '../links/model/pack-links.ts'
import { listLinks } from '../links/model/list.ts'
import { deletePack } from '../packs/model/changes.ts'
import { ensurePack } from '../../files/packs.ts'
import { revokeLinks } from '../links/model/changes.ts'
import {
  askForMore,
  get,
  pressed,
  visit,
  openTestDepot,
  type Depot,
} from '../../../test/delivery.ts'

const DAY_MS = 86_400_000

let depot: Depot
let port: number
let secondPort: number
beforeAll(async () => {
  const opened = await openTestDepot()
  ;({ depot, port } = opened)
  secondPort = await depot.serve()
  return opened.end
})

let packs = 0
/** Creates a pack of new files in this order, and a link to it. */
async function makePack(names: readonly string[], terms: Partial<NewPackLink> = {}) {
  const name = `Course ${packs++}`
  const pack = await ensurePack(depot.scope, name)
  const files: string[] = []
  for (const [at, filename] of names.entries()) {
    const fields = {
      filename: `${name} ${filename}`,
      name_key: `${name} ${filename}`.toLowerCase(),
    }
    files.push(
      await depot.addFile(randomBytes(1000 + at), {
        ...fields,
        pack_id: pack,
        pack_position: at + 1,
      }),
    )
  }
  const link = await createPackLink(
    depot.scope,
    depot.secrets,
    { pack_id: pack, ...terms },
    depot.time.now,
  )
  return { name, pack, files, link }
}

/** The names and addresses on the page, in their order. */
async function shown(key: string, at = port): Promise<{ name: string; path: string | null }[]> {
  const { status, text } = await get(at, key)
  expect(status).toBe(200)
  return [...text.matchAll(/<li>([^]*?)<\/li>/g)].map(([, item]) => ({
    name: /<bdi class='name'>Course \d+ ([^<]*)</.exec(item!)![1]!,
    path: /action='download\?key&#x3D;([\w-]{43})&amp;page&#x3D;1'/.exec(item!)?.[1] ?? null,
  }))
}

const names = async (key: string) => (await shown(key)).map(({ name }) => name)
const counts = async (link: string) =>
  depot.scope.query<{ downloads: number }>(
    `select downloads from links where shop_id = :shop and (id = :link or parent_id = :link)
      order by parent_id nulls first, id`,
    { link },
  )

test('lists the pack’s files in order with sizes, each with its own download; opening counts nothing', async () => {
  const { name, link } = await makePack(['b.pdf', 'a <i>.pdf', 'c.pdf'], { download_limit: 2 })
  const page = await get(port, link.key)
  expect(page.text).toContain(`<h1>${name}</h1>`)
  expect(page.text).toContain('3 files, 2.9 KB')
  expect(page.text).toContain('Each file: 2 downloads left')
  expect(page.text).toContain('You can download until April 30, 2026.')
  expect(page.text).not.toContain('<i>')
  const files = await shown(link.key)
  expect(files.map((file) => file.name)).toEqual(['b.pdf', 'a &lt;i&gt;.pdf', 'c.pdf'])
  expect(new Set(files.map(({ path }) => path)).size).toBe(3)
  expect((await get(port, link.key, {}, 'HEAD')).text).toBe('')
  expect((await counts(link.id)).every(({ downloads }) => downloads === 0)).toBe(true)
  const first = await get(port, files[0]!.path!)
  expect([first.status, first.body.length]).toEqual([200, 1000])
  expect((await get(port, files[0]!.path!)).status).toBe(200)
  expect((await get(port, files[0]!.path!)).status).toBe(410)
  expect((await get(port, files[1]!.path!)).status).toBe(200)
  const after = await get(port, link.key)
  expect(after.text).toContain('1,000 bytes · no downloads left')
  expect(after.text).toContain('1,001 bytes · 1 download left')
  expect((await shown(link.key)).map(({ path }) => path !== null)).toEqual([false, true, true])
  expect((await counts(link.id)).map(({ downloads }) => downloads)).toEqual([0, 2, 1, 0])
})

test('the keys stay the same, also if two visitors open it concurrently', async () => {
  const { link } = await makePack(['a', 'b', 'c', 'd'])
  const opened = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((at) => shown(link.key, at % 2 ? port : secondPort)),
  )
  for (const files of opened) expect(files).toEqual(opened[0])
  expect(await shown(link.key)).toEqual(opened[0])
  expect(await counts(link.id)).toHaveLength(5)
})

test('a file in two packs opens by the links of both, which count apart; out of one it works by the other', async () => {
  const { link, pack } = await makePack(['only'])
  const { files, link: second } = await makePack(['shared'], { download_limit: 1 })
  await depot.scope.insert('pack_files', { pack_id: pack, file_id: files[0], position: 5 })
  const [own] = await shown(second.key)
  const shared = (await shown(link.key))[1]!
  expect(await names(link.key)).toEqual(['only', 'shared'])
  expect([(await get(port, own!.path!)).status, (await get(port, own!.path!)).status]).toEqual([
    200, 410,
  ])
  expect((await get(port, shared.path!)).status).toBe(200)
  await depot.placeFile(files[0]!, pack)
  expect(await names(second.key)).toEqual([])
  expect((await get(port, shared.path!)).status).toBe(200)
})

test('a file moved out is no longer listed and its download stops; moved back it works again', async () => {
  const { files, link, pack } = await makePack(['a', 'b'])
  const [a] = await shown(link.key)
  await depot.placeFile(files[0]!, null)
  const stopped = await get(port, a!.path!)
  expect([stopped.status, stopped.text.includes('withdrawn')]).toEqual([410, true])
  expect(await names(link.key)).toEqual(['b'])
  await depot.placeFile(files[0]!, pack, 9)
  expect((await get(port, a!.path!)).status).toBe(200)
  expect(await names(link.key)).toEqual(['b', 'a'])
  const added = await depot.addFile(randomBytes(10), {
    filename: `Course 9 new`,
    pack_id: pack,
    pack_position: 10,
  })
  expect(await names(link.key)).toEqual(['b', 'a', 'new'])
  await depot.setFile(added, { deleted_at: new Date() })
  await depot.setFile(files[1]!, { mapping_state: 'unmapped' })
  expect(await names(link.key)).toEqual(['a'])
})

test('links of its files expire, are extended and are revoked with the pack’s link', async () => {
  const { link } = await makePack(['a'], { expiry_days: 1, download_limit: null })
  const [a] = await shown(link.key)
  const start = depot.time.now
  try {
    depot.time.now = new Date(+start + DAY_MS)
    const answers = await Promise.all([link.key, a!.path!].map((key) => get(port, key)))
    for (const { status, text } of answers)
      expect([status, text.includes('has expired')]).toEqual([410, true])
    expect(answers[0]!.text).toContain('<form')
    await depot.setLink(link.id, { expires_at: new Date(+start + 2 * DAY_MS) })
    expect((await get(port, a!.path!)).status).toBe(200)
    await revokeLinks(depot.scope, [link.id])
    for (const key of [link.key, a!.path!])
      expect((await get(port, key)).text).toContain('withdrawn')
  } finally {
    depot.time.now = start
  }
})

soakTest(
  'a limit set later on the pack’s link applies to its files; a file’s own revoked link stays revoked',
  async () => {
    const { link } = await makePack(['a', 'b'], { download_limit: 1 })
    const [a, b] = await shown(link.key)
    expect((await get(port, a!.path!)).status).toBe(200)
    await depot.setLink(link.id, { download_limit: 3 })
    expect((await get(port, link.key)).text).toContain('2 downloads left')
    const [child] = await depot.scope.query<{ id: string }>(
      'select id from links where shop_id = :shop and parent_id = :link order by id limit 1',
      { link: link.id },
    )
    await revokeLinks(depot.scope, [child!.id])
    expect(await names(link.key)).toEqual(['b'])
    expect((await get(port, a!.path!)).status).toBe(410)
    expect((await get(port, b!.path!)).status).toBe(200)
  },
)

soakTest(
  'absent terms are the shop’s, null is never and unlimited; an unknown pack is refused',
  async () => {
    const { link } = await makePack([])
    expect(link).toMatchObject({
      expires_at: new Date(+depot.time.now + 60 * DAY_MS),
      download_limit: 5,
      file_id: null,
    })
    const { link: open } = await makePack([], {
      expiry_days: null,
      download_limit: null,
      email: 'a@example.com',
    })
    expect(open).toMatchObject({
      expires_at: null,
      download_limit: null,
      email: 'a@example.com',
      status: 'active',
    })
    expect((await get(port, open.key)).text).toContain('There is nothing in it at the moment')
    const pack_id = '0197f7a0-0000-7000-8000-000000000000'
    const unknown = createPackLink(depot.scope, depot.secrets, { pack_id }, depot.time.now)
    await expect(unknown).rejects.toMatchObject({ code: 'pack_not_found' })
  },
)

test('a buyer with no downloads left may request more on the pack’s page, once a day', async () => {
  const { link } = await makePack(['a', 'b'], { download_limit: 1 })
  const [a] = await shown(link.key)
  expect((await get(port, link.key)).text).not.toContain('download/ask')
  await get(port, a!.path!)
  const { text } = await get(port, link.key)
  expect(text).toContain('Some of these files have been downloaded as often as this link allows.')
  expect(text).toContain("<form method='post' action='download/ask'>")
  expect(text).toContain(`<input type='hidden' name='key' value='${link.key}' />`)
  expect((await askForMore(port, { key: link.key })).text).toContain('Your message was sent')
  const after = (await get(port, link.key)).text
  expect([after.includes('download/ask'), after.includes('has been asked for more')]).toEqual([
    false,
    true,
  ])
})

soakTest('an address with a trailing slash works, with its links', async () => {
  const { link } = await makePack(['a'], { download_limit: 1 })
  const follow = async () => {
    const { text } = await visit(port, `/download/?key=${link.key}`)
    const [, address] = /(?:href|action)='(\.\.[^']*)'/.exec(text)!
    return new URL(
      address!.replaceAll('&#x3D;', '=').replaceAll('&amp;', '&'),
      'http://a/download/',
    )
  }
  const file = await follow()
  expect(file.pathname).toBe('/download')
  const download = await pressed(port, file.pathname + file.search)
  expect((await visit(port, download)).headers['content-type']).toBe('application/pdf')
  expect((await follow()).pathname).toBe('/download/ask')
})

test('an ended or forged address of the ZIP file gets the page, and a program stores no page as the file', async () => {
  const { link } = await makePack(['a', 'b'], { download_limit: 2 })
  const zip = await pressed(port, `/download?key=${link.key}&page=1&all=1`)
  const forged = zip.replace(/start=\d/, 'start=2')
  expect((await visit(port, forged)).status).toBe(403)
  expect((await visit(port, zip)).headers['content-type']).toBe('application/zip')
  const later = depot.time.now
  // After the session, in which a copy that broke off could be fetched again.
  depot.time.now = new Date(+later + 31 * 60_000)
  const { status, headers, text } = await visit(port, zip)
  depot.time.now = later
  expect([status, headers['content-type']]).toEqual([403, 'text/html; charset=utf-8'])
  expect(text).toContain("<form class='all'")
  expect((await get(port, link.key)).status).toBe(200)
})

test('a deleted pack ends its links, whose page says so and has the form; they stay in the list with its name', async () => {
  const { name, link, pack } = await makePack(['a'])
  const [a] = await shown(link.key)
  await depot.scope.transaction((tx) => deletePack(tx, pack))
  for (const key of [link.key, a!.path!]) {
    const { status, text } = await get(port, key)
    expect([status, text.includes('This link was withdrawn'), text.includes('<form')]).toEqual([
      410,
      true,
      true,
    ])
  }
  expect((await askForMore(port, { key: link.key })).text).toContain('Your message was sent')
  const find = { limit: 5, search: name, status: 'revoked' as const }
  const { data } = await listLinks(depot.scope, depot.secrets, find, depot.time.now)
  expect(data).toMatchObject([{ id: link.id, name, pack_id: null, file_id: null, key: link.key }])
})

describe('all files of a pack as one ZIP file', () => {
  /** The names in the ZIP file, without that of the pack; or the status of a refusal. */
  const zipped = async (key: string, headers: Record<string, string> = {}) => {
    const {
      status,
      body,
      headers: given,
    } = await visit(port, `/download?key=${key}&all=1`, headers)
    if (given['content-type'] !== 'application/zip') return status
    const entries = body.toString('latin1').matchAll(/PK\x01\x02[^]{42}Course \d+ ([a-z]+)/g)
    return [...entries].map(([, name]) => name)
  }

  test('has the files of now in their order, counts each, and leaves out those that are used up', async () => {
    const { link, name } = await makePack(['b', 'a'], { download_limit: 2 })
    const offer = `<form class='all' method='post' action='download?key=${link.key}&amp;page=1&amp;all=1'>`
    const page = (await get(port, link.key)).text.replaceAll('&#x3D;', '=')
    expect(page).toContain(offer)
    expect(await zipped(link.key, { 'user-agent': 'Mimecast URL protect' })).toBe(200)
    expect((await counts(link.id)).map(({ downloads }) => downloads)).toEqual([0, 0, 0])
    const { headers } = await visit(port, `/download?key=${link.key}&all=1`, {}, 'HEAD')
    expect(headers['content-disposition']).toContain(`${name}.zip`)
    expect(await zipped(link.key)).toEqual(['b', 'a'])
    expect((await counts(link.id)).map(({ downloads }) => downloads)).toEqual([0, 1, 1])
    const [b] = await shown(link.key)
    expect((await get(port, b!.path!)).status).toBe(200)
    expect(await zipped(link.key)).toEqual(['a'])
    expect(await zipped(link.key)).toBe(410)
  })

  test('needs no visit of the page, and has no file that the page does not offer', async () => {
    const { link, pack, files } = await makePack(['a', 'b', 'c', 'd'], { download_limit: null })
    expect(await zipped(link.key)).toEqual(['a', 'b', 'c', 'd'])
    await depot.addFile(randomBytes(10), {
      filename: 'Course 9 late',
      pack_id: pack,
      pack_position: 10,
    })
    await depot.placeFile(files[0]!, null)
    await depot.setFile(files[1]!, { mapping_state: 'unmapped' })
    await depot.setFile(files[2]!, { deleted_at: new Date() })
    expect(await zipped(link.key)).toEqual(['d', 'late'])
    await depot.setFile(files[3]!, { allowed_referrers: ['shop.example'] })
    expect(await zipped(link.key, { referer: 'https://other.example/' })).toEqual(['late'])
    expect(await zipped(link.key, { referer: 'https://shop.example/' })).toEqual(['d', 'late'])
  })

  soakTest('has the expiry of the pack’s link, and ends with it', async () => {
    const { link } = await makePack(['a', 'b'], { expiry_days: 1, download_limit: null })
    const start = depot.time.now
    try {
      expect(await zipped(link.key)).toEqual(['a', 'b'])
      depot.time.now = new Date(+start + DAY_MS)
      expect(await zipped(link.key)).toBe(410)
      await depot.setLink(link.id, { expires_at: new Date(+start + 2 * DAY_MS) })
      expect(await zipped(link.key)).toEqual(['a', 'b'])
      await revokeLinks(depot.scope, [link.id])
      expect(await zipped(link.key)).toBe(410)
    } finally {
      depot.time.now = start
    }
  })
})
