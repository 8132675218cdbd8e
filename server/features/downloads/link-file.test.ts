import { beforeAll, describe, expect, test } from 'vitest'
import { LINK_TYPE, shortcutText } from '../../../plugins/contract/index.ts'
import { get, openTestDepot, visit, type Depot, type TestDepot } from '../../../test/delivery.ts'

const ADDRESS = 'https://courses.example.com/lino?seat=7'
const BYTES = Buffer.from(shortcutText(ADDRESS))

let depot: Depot
let port: number
beforeAll(async () => {
  const opened: TestDepot = await openTestDepot()
  ;({ depot, port } = opened)
  return opened.end
})

let links = 0
const addLink = (terms: Parameters<Depot['addLink']>[1] = {}, bytes = BYTES) =>
  depot.addLink(bytes, terms, {
    filename: `Course ${++links}.url`,
    name_key: `course ${links}.url`,
    extension: 'url',
    content_type: LINK_TYPE,
  })

describe('a link as a file', () => {
  test('sends its buyer to the address, counts it, and says it to nobody else', async () => {
    const { key, id } = await addLink({ download_limit: 2 })
    const head = await get(port, key, {}, 'HEAD')
    expect(head).toMatchObject({ status: 204 })
    expect(head.headers.location).toBeUndefined()
    expect(await depot.downloads(id)).toMatchObject({ downloads: 0 })
    const answer = await get(port, key)
    expect(answer).toMatchObject({ status: 302, text: '' })
    expect(answer.headers).toMatchObject({
      location: ADDRESS,
      'referrer-policy': 'no-referrer',
      'cache-control': expect.stringContaining('no-store'),
    })
    // A browser's condition or part is about a file.
    expect(await get(port, key, { range: 'bytes=5-', 'if-none-match': '*' })).toMatchObject({
      status: 302,
    })
    expect(await depot.downloads(id)).toEqual({ downloads: 2, served: 2 })
    const refused = await get(port, key)
    expect(refused.status).toBe(410)
    expect(JSON.stringify([refused.headers, refused.text])).not.toContain('courses.example.com')
  })

  test('asks first, on a page that has a button to open it and not the address', async () => {
    const { key, id } = await addLink({ ask_for: 'email', email: 'ada@example.com' })
    const asked = await get(port, key)
    expect(asked.text).toContain('<form')
    expect(asked.text).not.toContain('courses.example.com')
    expect(await depot.downloads(id)).toMatchObject({ downloads: 0 })
    const open = await addLink()
    const page = await visit(port, `/download?key=${open.key}&page=1`)
    expect(page.text).toContain('>Open</button>')
    expect(page.text).not.toContain('.url')
    expect(page.text).not.toContain('courses.example.com')
    expect(page.headers['content-security-policy']).toContain("form-action 'self' https: http:")
  })

  test('a file of its name without an address arrives as it is', async () => {
    const { key } = await addLink(
      {},
      Buffer.from('[InternetShortcut]\r\nURL=file:///etc/passwd\r\n'),
    )
    const answer = await get(port, key)
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.headers['content-disposition']).toContain('attachment')
  })

  test('at its public address too', async () => {
    const { path, file } = await depot.addPublic(BYTES, {
      filename: 'Form.url',
      name_key: 'form.url',
      content_type: LINK_TYPE,
    })
    expect((await visit(port, path, {}, 'HEAD')).headers.location).toBeUndefined()
    expect((await visit(port, path)).headers.location).toBe(ADDRESS)
    await depot.flush()
    expect(await depot.publicDownloads(file)).toBe(1)
  })
})
