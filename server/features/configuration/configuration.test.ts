// Documents of a shop: read, compared and applied over the API.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestApp, type Client, type TestApp } from '../../../test/app.ts'

let app: TestApp
let other: Client
beforeAll(async () => {
  app = await openTestApp()
  other = await app.stranger('other.myshopify.com')
})
afterAll(() => app.close())

const YAML = { 'content-type': 'application/yaml' }

/** Sends a text as it is: `call` sends JSON. */
async function send(
  { key }: Client,
  method: string,
  route: string,
  text: string | null = null,
  headers: Record<string, string> = YAML,
) {
  const answer = await fetch(`${app.url}${route}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(text === null ? {} : headers) },
    ...(text === null ? {} : { body: text }),
  })
  const body = await answer.text()
  const isJson = answer.headers.get('content-type')?.includes('application/json') ?? false
  return {
    status: answer.status,
    etag: answer.headers.get('etag'),
    text: body,
    // Tests look into it as they like.
    // oxlint-disable-next-line typescript/no-explicit-any
    body: isJson ? (JSON.parse(body) as any) : null,
  }
}
const save = (client: Client, name: string, text: string, query = '') =>
  send(client, 'PUT', `/api/workflows/by-name/${encodeURIComponent(name)}${query}`, text)

const supplier = (name: string) => `stevedore: workflow/1
name: ${name}
when:
  - { event: file.imported, from: { drop_account: supplier-a }, collect: 10s }
which: { type: [pdf], tags_none: [marked], larger_than: 1MB, any: [{ name_like: "A-*" }, { pack: Guides }] }
do:
  - tag-files: { mode: add, tags: [marked] }
  - wait: { for: 2, unit: days }
  - update-settings: { expiry_days: 90 }
    only: { mapped: true }
`

interface Refused {
  details: { line: number; param: string; message: string }[]
}
/** Each problem in a line. */
const problemsOf = ({ details }: Refused) =>
  details.map(({ line, param, message }) => `${line} ${param}: ${message}`)

const messages = ({ body }: { body: { differences: { message: string }[] } }) =>
  body.differences.map(({ message }) => message)

async function withNames(client: Client): Promise<void> {
  await client.scope.query(
    `insert into packs (shop_id, name, name_key) values (:shop, 'Guides', 'guides')`,
  )
  const made = await client.call('POST', '/api/drop/accounts', {
    name: 'supplier-a',
    allowed_addresses: ['203.0.113.7'],
  })
  expect(made.status).toBe(201)
}

describe('a workflow as a document', () => {
  test('is told before it is saved, saved, and the same in another shop', async () => {
    await withNames(app.owner)
    const dry = await save(app.owner, 'Supplier A', supplier('Supplier A'), '?dry_run=true')
    expect([dry.status, dry.body?.status ?? dry.text]).toEqual([200, 'created'])
    expect(messages(dry)).toMatchInlineSnapshot(`
      [
        "Name: none → Supplier A",
        "When, added: file.imported",
        "Step 1, added: Adds marked",
        "Step 2, added: Continues after 2 days",
        "Step 3, added: expiry 90 days",
      ]
    `)
    expect((await app.owner.call('GET', '/api/workflows')).body.data.at(0).built_in).toBe(true)
    const saved = await save(app.owner, 'Supplier A', supplier('Supplier A'))
    expect(saved.body).toMatchObject({ status: 'created', name: 'Supplier A' })
    const again = await save(app.owner, 'Supplier A', supplier('Supplier A'))
    expect(again.body).toMatchObject({ status: 'unchanged', differences: [] })
    const out = await send(app.owner, 'GET', `/api/workflows/${saved.body.id}.yaml`)
    expect(out.text).toMatchInlineSnapshot(`
      "stevedore: workflow/1
      name: Supplier A
      when: [ { event: file.imported } ]
      which:
        type: [ pdf ]
        tags_none: [ marked ]
        larger_than: 1MB
        drop_account: supplier-a
        any: [ { name_like: A-* }, { pack: Guides } ]
      do:
        - tag-files: { mode: add, tags: [ marked ] }
        - wait: { for: 2, unit: days }
        - update-settings: { expiry_days: 90 }
          only: { mapped: true }
      "
    `)
    const json = await send(app.owner, 'GET', `/api/workflows/${saved.body.id}.json`)
    expect([json.etag, json.body.which.any[1]]).toEqual([out.etag, { pack: 'Guides' }])
    const missing = await save(other, 'Supplier A', out.text)
    expect([missing.status, ...problemsOf(missing.body.error)]).toMatchInlineSnapshot(`
      [
        422,
        "8 which.drop_account: supplier-a: There is no such account of the drop folder: choose one of this shop",
        "9 which.any[1].pack: Guides: There is no such pack: choose one of this shop",
      ]
    `)
    await withNames(other)
    const there = await save(other, 'Supplier A', JSON.stringify(json.body))
    expect(there.body).toMatchObject({ status: 'created' })
    expect((await send(other, 'GET', `/api/workflows/${there.body.id}.yaml`)).text).toBe(out.text)
  })

  test('keeps its steps, and is renamed by the name in it', async () => {
    const made = await save(
      app.owner,
      'Twice',
      `stevedore: workflow/1
do:
  - tag-files: { mode: add, tags: [a] }
  - tag-files: { mode: add, tags: [b] }
`,
    )
    const { id } = made.body
    const read = async () => (await app.owner.call('GET', `/api/workflows/${id}`)).body
    const before = await read()
    const text = `stevedore: workflow/1
name: Once
do:
  - tag-files: { mode: add, tags: [b] }
    only: { type: pdf }
`
    const changed = await save(app.owner, 'Twice', text)
    expect(messages(changed)).toMatchInlineSnapshot(`
      [
        "Name: Twice → Once",
        "Step 1, Adds b: Condition: all files → Type: pdf",
        "Step removed: Adds a",
      ]
    `)
    const after = await read()
    expect([after.name, after.steps[0].id]).toEqual(['Once', before.steps[1].id])
    const stale = await send(
      app.owner,
      'PUT',
      '/api/workflows/by-name/Once',
      text.replace('pdf', 'zip'),
      {
        ...YAML,
        'if-match': made.etag!,
      },
    )
    expect([stale.status, stale.body.error.code]).toEqual([412, 'changed_meanwhile'])
  })

  const refused: [string, string][] = [
    ['not YAML', 'do: [}'],
    ['another kind', 'stevedore: schedule/1\nname: x'],
    ['two steps in one entry', 'stevedore: workflow/1\ndo:\n  - tag-files: {}\n    wait: {}'],
    ['an unknown field', 'stevedore: workflow/1\ndo:\n  - wait: { for: 1 }\nloop: 3'],
    [
      'an option of no plugin',
      'stevedore: workflow/1\ndo:\n  - tag-files: { mode: add, tags: [x], loud: 1 }',
    ],
    [
      'a condition without files',
      'stevedore: workflow/1\nwhich: { type: pdf }\ndo:\n  - tag-files: { tags: [x] }',
    ],
    ['a number that is rounded', 'stevedore: workflow/1\ndo:\n  - wait: { for: 9007199254740993 }'],
    [
      'aliases without end',
      `a: &a [1, 1]\n${'b: &b [*a, *a]'.replace('b', 'b')}\nc: &c [${'*b, '.repeat(60)}*b]\nd: [${'*c, '.repeat(60)}*c]`,
    ],
    ['brackets without end', 'do: ' + '['.repeat(100_000)],
  ]
  test.each(refused)('is refused: %s', async (_what, text) => {
    const answer = await save(app.owner, 'Refused', text)
    expect(answer.status).toBe(422)
    expect(problemsOf(answer.body.error)).toMatchSnapshot()
  })
  test('is refused if it is too large or no text', async () => {
    const large = await save(app.owner, 'Large', `name: ${'x'.repeat(300_000)}`)
    expect(large.status).toBe(413)
    const form = await send(app.owner, 'PUT', '/api/workflows/by-name/x', 'a=b', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(form.status).toBe(415)
  })
})

interface Applied {
  file: string
  status: string
  tag: string | null
  tag_before: string | null
  differences: { message: string }[]
  error: (Refused & { code: string }) | null
}

describe('the configuration of a shop', () => {
  const files = {
    'drop.yaml': 'stevedore: drop-settings/1\nenabled: true\nfolder_names: tag\n',
    'mail.yaml': `stevedore: mail-settings/1
sender_name: The shop
reply_to: help@example.com
server:
  host: smtp.example.com
  port: 587
  security: starttls
  user: ''
  from: shop@example.com
  reports: false
`,
    'texts.yaml':
      'stevedore: mail-texts/1\ntexts: { en: { links: { subject: "Your files, {shop}" } } }\n',
    'tags.yaml': 'stevedore: tag-template/1\nname: Books\ntags: [book, print]\n',
    'csv.yaml': `stevedore: csv-mapping/1
name: Supplier
headers: [File Name, Link, Notes]
mapping: { filename: File Name, file_url: Link }
`,
    'rules.yaml': `stevedore: mapping-rules/1
rules:
  - { pattern: "WS-*", sku: "WS-{1}" }
  - { pattern: "*guide*", product: EB-001 }
  - { pattern: "A-*", product: EB-001, variant: EB-001, new_files: always }
`,
    'schedule.yaml': `stevedore: schedule/1
name: Nightly
cron: "0 3 * * *"
workflow: Tidy
which: { mapped: false, smaller_than: 5KB, pack: Guides }
notify: errors
`,
    'workflow.yaml': `stevedore: workflow/1
name: Tidy
do:
  - map-products: { product_id: EB-001 }
  - tag-by-rule: { rules: [{ when: { pack: Guides }, tags: [guide] }] }
    only: { product: EB-001 }
`,
  }
  type Files = Readonly<Record<string, string>>
  const documentsOf = (all: Files, known: Readonly<Record<string, string | null>> = {}) =>
    Object.entries(all).map(([file, text]) => ({
      file,
      text,
      ...(Object.hasOwn(known, file) ? { known: known[file] } : {}),
    }))
  async function apply(
    client: Client,
    documents: readonly object[],
    query = '',
  ): Promise<Applied[]> {
    const answer = await client.call('POST', `/api/configuration${query}`, { documents })
    expect([answer.status, answer.body.error]).toEqual([200, undefined])
    return answer.body.data
  }
  const statuses = (applied: readonly Applied[]) =>
    Object.fromEntries(
      applied.map(({ file, status, error }) => [file, error ? problemsOf(error) : status]),
    )
  const all = (status: string, of: Files = files) =>
    Object.fromEntries(Object.keys(of).map((file) => [file, status]))
  /** What `pull` would write. */
  async function pulled(client: Client): Promise<Files> {
    const { body } = await client.call('GET', '/api/configuration')
    expect(body.left_out).toEqual([])
    return Object.fromEntries(
      body.data.map(({ file, text }: { file: string; text: string }) => [file, text]),
    )
  }
  async function withCatalog(client: Client): Promise<void> {
    const product = 'gid://shopify/Product/' + client.scope.shop
    await client.scope.query(
      `insert into products (shop_id, id, title, title_key, handle, status)
       values (:shop, :product, 'Tides', 'tides', 'tides', 'active')`,
      { product },
    )
    await client.scope.query(
      `insert into variants (shop_id, id, product_id, position, title, sku, sku_key)
       values (:shop, :id, :product, 1, 'One', 'EB-001', 'eb-001')`,
      { product, id: product.replace('Product', 'ProductVariant') },
    )
  }

  test('is told, applied, and the same in another shop', async () => {
    const there = await app.stranger('there.myshopify.com')
    await withNames(there)
    const missing = await apply(there, documentsOf(files), '?dry_run=true')
    expect(statuses(missing)).toMatchSnapshot()
    await withCatalog(there)
    const dry = await apply(there, documentsOf(files), '?dry_run=true')
    const expected = { ...all('created'), 'drop.yaml': 'changed', 'mail.yaml': 'changed' }
    const statusesOf = { ...expected, 'texts.yaml': 'changed', 'rules.yaml': 'changed' }
    expect(statuses(dry)).toEqual(statusesOf)
    expect((await there.call('GET', '/api/schedules')).body.data).toEqual([])
    expect(statuses(await apply(there, documentsOf(files)))).toEqual(statusesOf)
    const out = await pulled(there)
    expect(Object.keys(out)).toMatchSnapshot()
    expect(out).toMatchSnapshot()
    expect(statuses(await apply(there, documentsOf(out)))).toEqual(all('unchanged', out))
    const third = await app.stranger('third.myshopify.com')
    await withNames(third)
    await withCatalog(third)
    await apply(third, documentsOf(out))
    expect(await pulled(third)).toEqual(out)
  })

  test('a document that was changed meanwhile is told, and the others are applied', async () => {
    const shop = await app.stranger('two.myshopify.com')
    const tags = {
      'a.yaml': files['tags.yaml'],
      'b.yaml': files['tags.yaml'].replace('Books', 'Maps'),
    }
    const first = await apply(shop, documentsOf(tags, { 'a.yaml': null, 'b.yaml': null }))
    const known = Object.fromEntries(first.map(({ file, tag }) => [file, tag]))
    const theirs = { 'a.yaml': tags['a.yaml'].replace('print', 'paper') }
    await apply(shop, documentsOf(theirs))
    const mine = {
      'a.yaml': tags['a.yaml'].replace('print', 'pdf'),
      'b.yaml': tags['b.yaml'].replace('print', 'map'),
    }
    const applied = await apply(shop, documentsOf(mine, known))
    expect(applied.map(({ status, error }) => error?.code ?? status)).toEqual([
      'changed_meanwhile',
      'changed',
    ])
    expect(applied[1]!.differences.map(({ message }) => message)).toEqual([
      'tags: ["book","print"] → ["book","map"]',
    ])
    const read = await shop.call('GET', '/api/tag-templates')
    expect(read.body.data.map(({ tags: of }: { tags: string[] }) => of[1])).toEqual([
      'paper',
      'map',
    ])
  })

  test('needs the scopes of what it changes', async () => {
    const reader = await app.clientWith(['settings:write'])
    const [first] = await apply(reader, documentsOf({ 'drop.yaml': files['drop.yaml'] }))
    expect(first!.error!.code).toBe('missing_scope')
  })
})
