// Creates the data that the documented examples refer to: a shop for each example, with everything
// that the example names.
import { inEnglish } from './english.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect } from 'vitest'
import { z } from 'zod'
import type { OpenApiOperation } from '../server/http/openapi.ts'
import {
  IDS,
  BUYER,
  PRODUCT,
  SOURCE,
  TABLE,
  type Example,
  type ExampleId,
} from '../server/http/example.ts'
import { EXAMPLES } from '../server/features.ts'
import { admitFiles } from '../server/files/admit.ts'
import { admitVersion } from '../server/files/admit-version.ts'
import { recordBackup } from '../server/files/backups.ts'
import { locateFile } from '../server/files/list.ts'
import { draftFrom } from '../server/files/drafts.ts'
import { addMappings } from '../server/files/mappings.ts'
import { customerData } from '../server/features/compliance/customer-data.ts'
import { shopSettingsSchema } from '../server/files/shop-settings.ts'
import { parsePublicId, toPublicId } from '../server/core/ids.ts'
import { reconcileOrder } from '../server/features/orders/reconcile.ts'
import { supplyKeys } from '../server/features/preparation/key-supply.ts'
import { createLicenceList } from '../server/features/preparation/licence-lists.ts'
import { untilEnded, type Answer, type Client } from './app.ts'
import { openCsvApp, untilChecked, type CsvApp } from './csv.ts'
import { startOrigin, type Origin } from './fakes/origin.ts'
import { addFile } from './deliveries.ts'
import { fillMirror, variantId } from './mirror.ts'
import { paidOrder } from './orders.ts'
import { beginUpload, sendFile } from './uploads.ts'
import { WAIT_MS } from './wait.ts'

/** An endpoint of the document, with its example. */
export interface DocumentedEndpoint {
  /** For instance `get /api/files/{id}`. */
  name: string
  method: string
  path: string
  operation: OpenApiOperation
}

export interface ExampleHouse {
  app: CsvApp
  document: {
    paths: Record<string, Record<string, OpenApiOperation>>
    webhooks: Record<string, unknown>
    components: { schemas: Record<string, unknown> }
  }
  documented: readonly DocumentedEndpoint[]
  /**
   * Creates a shop with everything that the example refers to (by default the endpoint's only
   * example), and returns the example with the real ids.
   */
  prepare(name: string, example?: Example): Promise<{ owner: Client; example: Example }>
  /** Sends the example as the client. */
  send(client: Client, name: string, example: Example): Promise<Answer>
  close(): Promise<void>
}

export async function openExamples(): Promise<ExampleHouse> {
  const [app, origin] = await Promise.all([openCsvApp(), startOrigin()])
  const worker = await app.engine.startWorker()
  const document = (await (
    await fetch(`${app.url}/api/openapi.json`)
  ).json()) as ExampleHouse['document']
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method} ${path}`,
      method,
      path,
      operation,
    })),
  )
  return {
    app,
    document,
    documented,
    prepare: async (name, example = EXAMPLES[name]!) => {
      const owner = await app.stranger(`${randomUUID()}.myshopify.com`)
      return { owner, example: await fill({ app, origin, owner }, example) }
    },
    send: (client, name, example) => send(app.url, client, name, example),
    close: async () => {
      await worker.stop()
      await app.close()
      await origin.close()
    },
  }
}

const ids = Object.values<string>(IDS)
/** Whether an example, or a part of one, names something that has to be created for it. */
export const hasIds = (example: unknown): boolean =>
  ids.some((id) => JSON.stringify(example ?? null).includes(id))

/** The response to an example has the documented status and body. */
export function expectDocumented(house: ExampleHouse, name: string, answer: Answer): void {
  const { status } = EXAMPLES[name]!
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status })
  const schema = house.app.endpoints.find(({ method, path }) => `${method} ${path}` === name)
    ?.replies[status]?.schema
  if (schema instanceof z.ZodType) expect(schema.parse(answer.body)).toEqual(answer.body)
  else if (status === 204 || name.startsWith('head ')) expect(answer.body).toBe('')
}

/** The example of an endpoint that is logged has left one row in its shop, without a secret. */
export async function expectLogged(
  house: ExampleHouse,
  name: string,
  owner: Client,
): Promise<void> {
  const { logs } =
    house.app.endpoints.find(({ method, path }) => `${method} ${path}` === name) ?? {}
  // An example may be refused, or remove what its shop does not have.
  const isRemoval = name.startsWith('delete ') && !name.includes('{')
  if (!logs || EXAMPLES[name]!.status >= 400 || isRemoval) return
  const rows = await owner.scope.query<{ kind: string; name: string | null }>(
    `select kind, verb, subject, name, before, after, secrets from change_log
     where shop_id = :shop order by id desc limit 1`,
  )
  expect([name, rows]).toMatchObject([name, [{ kind: logs.kind }]])
  expect([name, rows.filter(isEmptyChange)]).toEqual([name, []])
  expect(JSON.stringify(rows)).not.toMatch(/sdk_(test|live)_\w{20,}|whsec_|password":"|secret":"/)
}

const isEmptyChange = (row: Readonly<Record<string, unknown>>): boolean =>
  Object.keys({ ...(row.before as object), ...(row.after as object) }).length === 0 &&
  (row.secrets as string[]).length === 0

interface Place {
  app: CsvApp
  origin: Origin
  owner: Client
}
type Make = (place: Place, need: (id: ExampleId) => Promise<string>) => Promise<string>

async function fill(place: Place, example: Example): Promise<Example> {
  const text = JSON.stringify(example)
  if (text.includes(PRODUCT))
    await fillMirror(place.owner.scope, [{ title: 'Guide', skus: ['GUIDE-1'] }])
  const made = new Map<ExampleId, Promise<string>>()
  const need = (id: ExampleId): Promise<string> => {
    const known = made.get(id) ?? MAKERS[id](place, need)
    made.set(id, known)
    return known
  }
  if (text.includes(BUYER))
    await call(place, 'POST', '/api/links', { file_ids: [await need('file')], email: BUYER })
  let real = text.replaceAll(SOURCE, `${place.origin.url}/bytes/1000/guide`)
  real = real.replaceAll(TABLE, tableAt(place))
  for (const [id, written] of Object.entries(IDS) as [ExampleId, string][])
    if (text.includes(written)) real = real.replaceAll(written, await need(id))
  return JSON.parse(real) as Example
}

async function send(url: string, { key }: Client, name: string, example: Example): Promise<Answer> {
  const [method, template] = name.split(' ') as [string, string]
  const path = template.replace(/\{(\w+)\}/g, (_, param: string) => example.params![param]!)
  const query = new URLSearchParams(example.query).toString()
  const body =
    example.content?.text ?? (example.body === undefined ? undefined : JSON.stringify(example.body))
  const type =
    example.content?.type ?? (example.body === undefined ? undefined : 'application/json')
  const response = await fetch(`${url}${path}${query && `?${query}`}`, {
    method: method.toUpperCase(),
    headers: {
      authorization: `Bearer ${key}`,
      ...(type ? { 'content-type': type } : {}),
      ...example.headers,
    },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  const json = response.headers.get('content-type')?.includes('json') && text !== ''
  return {
    status: response.status,
    headers: response.headers,
    body: json ? JSON.parse(text) : text,
  }
}

async function call(
  { owner }: Place,
  method: string,
  route: string,
  body?: unknown,
): Promise<Answer['body']> {
  const answer = await owner.call(method, route, body)
  if (answer.status < 300) return answer.body
  throw new Error(
    `${method} ${route} was answered ${answer.status}: ${JSON.stringify(answer.body)}`,
  )
}

const post = async (place: Place, route: string, body: unknown) =>
  (await call(place, 'POST', route, body)).id as string

/** Two versions of a few bytes each. */
async function makeFile({ app, owner: { scope } }: Place, filename: string): Promise<string> {
  const { stage } = await app.engine.parts.ports(scope)
  const bytes = (text: string) =>
    stage.write(Readable.from([Buffer.from(text)]), null, new AbortController().signal)
  const [first, second] = [await bytes(`${filename} one`), await bytes(`${filename} two`)]
  const draft = draftFrom({ filename, tags: ['summer'] }, shopSettingsSchema.parse({}))
  return scope.transaction(async (tx) => {
    const admission = { draft, staged: first, onConflict: 'error', channel: 'api' } as const
    const [admitted] = await admitFiles(tx, [admission], { file_bytes: 1e9 })
    if (admitted!.status !== 'created') throw new Error(JSON.stringify(inEnglish(admitted)))
    await admitVersion(tx, admitted!.fileId, second)
    return toPublicId('file', admitted!.fileId)
  })
}

const tagFiles = { action: 'tag-files', options: { mode: 'add', tags: ['checked'] } }

/** An operation whose jobs are scheduled for tomorrow, so that no worker starts it. */
async function waiting({ app, owner: { scope } }: Place, then?: 'pause'): Promise<string> {
  const { engine } = app.engine
  const id = await scope.transaction(async (tx) => {
    const workflow = engine.workflow('tag-files')!
    const steps = workflow.steps.map((step) =>
      step.id === 'act' ? { ...step, options: tagFiles.options } : step,
    )
    const start = {
      workflow: { ...workflow, steps },
      channel: 'api',
      request: {},
      requestedBy: 'test',
    }
    const id = await engine.start(tx, { ...start, source: { type: 'filter', filter: {} } })
    await tx.query(
      `update graphile_worker._private_jobs set run_at = now() + interval '1 day'
       where (payload ->> 'operation') = :id and (payload ->> 'shop')::int = :shop`,
      { id },
    )
    if (then) await engine.move(tx, id, then)
    return id
  })
  return toPublicId('op', id)
}

async function ended(place: Place, body: object): Promise<string> {
  const id = await post(place, '/api/operations', body)
  await untilEnded(place.owner, id)
  return id
}

async function uploadCsv({ app, owner }: Place, text: string): Promise<string> {
  const response = await fetch(`${app.url}/api/csv`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'text/csv' },
    body: text,
  })
  return ((await response.json()) as { id: string }).id
}

async function inserted(
  { owner: { scope } }: Place,
  prefix: 'review' | 'notice' | 'message',
  row: object,
) {
  const table = { review: 'reviews', notice: 'notices', message: 'outbox' } as const
  const [made] = (await scope.insert(table[prefix], row).returning('id')) as { id: string }[]
  return toPublicId(prefix, made!.id)
}

const tableAt = ({ origin }: Place): string =>
  `${origin.url}/text/${encodeURIComponent('name,link,sku\nguide.pdf,https://cdn.example.com/guide.pdf,EB-1\n')}`

const MAPPED = {
  product_title: 'Guide',
  variant_id: null,
  sku: null,
  method: 'manual',
  score: 1,
  reason: 'Chosen',
} as const

const MAKERS: Record<ExampleId, Make> = {
  file: (place) => makeFile(place, 'guide.pdf'),
  second_file: (place) => makeFile(place, 'map.pdf'),
  text_file: (place) => makeFile(place, 'notes.txt'),
  public_file: async (place) => {
    const id = await makeFile(place, 'leaflet.pdf')
    await call(place, 'PATCH', `/api/files/${id}`, { visibility: 'public' })
    return id
  },
  pack: async (place, need) => {
    const id = await post(place, '/api/packs', { name: 'Summer' })
    for (const file of ['file', 'second_file'] as const)
      await call(place, 'PATCH', `/api/files/${await need(file)}`, { pack_id: id })
    return id
  },
  template: (place) => post(place, '/api/tag-templates', { name: 'Spring', tags: ['spring'] }),
  key: (place) => post(place, '/api/api-keys', { name: 'Old', scopes: ['files:read'] }),
  connection: (place) => post(place, '/api/connections', { provider: 'demo' }),
  feed: (place) =>
    post(place, '/api/feeds', {
      name: 'Supplier',
      url: tableAt(place),
      mapping: { filename: 'name', file_url: 'link', product_sku: 'sku' },
    }),
  feed_run: async (place, need) => post(place, `/api/feeds/${await need('feed')}/run`, {}),
  drop_account: (place) => post(place, '/api/drop/accounts', { name: 'Warehouse' }),
  dropped_file: (place) => droppedFile(place, 'waiting', '', 'dropped.pdf'),
  failed_drop: (place) => droppedFile(place, 'failed', 'failed', 'failed.pdf'),
  link: async (place, need) => {
    const made = await call(place, 'POST', '/api/links', {
      file_ids: [await need('file')],
      email: 'buyer@example.com',
    })
    return made.data[0].id as string
  },
  delivery: async (place, need) => {
    const { scope } = place.owner
    const file = parsePublicId('file', await need('file'))
    await addMappings(scope, [{ fileId: file!, mapping: { ...MAPPED, product_id: PRODUCT } }])
    const { secrets } = place.app.engine.parts
    await reconcileOrder(scope, paidOrder({ products: [PRODUCT] }), { secrets, now: new Date() })
    const [made] = await scope.query<{ id: string }>(
      'select id from deliveries where shop_id = :shop',
    )
    // The shop has added the file to the order too.
    await scope.query(
      `insert into delivery_files (shop_id, delivery_id, line_id, file_id)
       values (:shop, :delivery, '', :file)`,
      { delivery: made!.id, file },
    )
    return toPublicId('delivery', made!.id)
  },
  import: async (place) => {
    const files = [{ filename: 'imported.pdf', url: `${place.origin.url}/bytes/100/imported` }]
    return (await call(place, 'POST', '/api/files/import', { files })).job_id as string
  },
  operation: async (place, need) =>
    ended(place, { ...tagFiles, select: { file_ids: [await need('file')] } }),
  running_operation: async (place, need) => {
    await need('file')
    return waiting(place)
  },
  paused_operation: async (place, need) => {
    await need('file')
    return waiting(place, 'pause')
  },
  preview: async (place, need) => {
    const select = { file_ids: [await need('file')] }
    const id = await post(place, '/api/operations', { ...tagFiles, select, dry_run: true })
    for (const until = Date.now() + WAIT_MS; ;) {
      if ((await call(place, 'GET', `/api/operations/${id}`)).status === 'previewed') return id
      if (Date.now() > until) throw new Error('The preview did not end')
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
  },
  failed_operation: (place) =>
    ended(place, { ...tagFiles, select: { file_ids: [toPublicId('file', randomUUID())] } }),
  export: async (place, need) =>
    ended(place, {
      action: 'export-files',
      options: {},
      select: { file_ids: [await need('file')] },
    }),
  workflow: (place) =>
    post(place, '/api/workflows', {
      name: 'Own',
      kind: 'bulk',
      steps: [{ plugin: 'delete-files' }],
    }),
  trigger: async (place) => {
    const { when } = (await call(place, 'POST', '/api/workflows', {
      name: 'Called',
      kind: 'bulk',
      steps: [{ plugin: 'tag-files', options: { mode: 'add', tags: ['called'] } }],
      when: [{ kind: 'hook' }],
    })) as unknown as { when: [{ id: string }] }
    return when[0].id
  },
  schedule: (place) =>
    post(place, '/api/schedules', {
      name: 'Own',
      cron: '0 3 * * *',
      ...tagFiles,
      filter: { type: ['pdf'] },
    }),
  review: async (place, need) => {
    const about = {
      product_title: 'Guide',
      sku: 'GUIDE-1',
      method: 'title',
      score: 0.9,
      reason: 'Its title is alike',
    }
    const candidates = [null, variantId(1, 1)].map((variant_id) => ({
      product_id: PRODUCT,
      variant_id,
      ...about,
    }))
    const file_id = parsePublicId('file', await need('file'))
    const row = { candidates: JSON.stringify(candidates), score: 0.9, question: Buffer.alloc(32) }
    return inserted(place, 'review', { file_id, ...row })
  },
  rule: async (place) => {
    await fillMirror(place.owner.scope, [{ title: 'Guide', skus: ['GUIDE-1'] }])
    return post(place, '/api/mapping-rules', { pattern: 'WS-*', product_id: PRODUCT })
  },
  csv: (place) =>
    uploadCsv(place, `filename,file_url,tags\nlist.pdf,${place.origin.url}/bytes/100/list,a\n`),
  checked_csv: async (place) => {
    const rows = [`list.pdf,${place.origin.url}/bytes/100/list`, 'wrong.pdf,nowhere']
    const id = await uploadCsv(place, ['filename,file_url', ...rows, ''].join('\n'))
    await call(place, 'POST', `/api/csv/${id}/check`, { probe: false })
    await untilChecked(place, id)
    return id
  },
  move: async ({ app, owner, origin }) => {
    const answer = await fetch(`${app.url}/api/moves`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'text/csv' },
      body: `SKU,Download 1 URL\nGUIDE-1,${origin.url}/bytes/100/moved\n`,
    })
    return ((await answer.json()) as { id: string }).id
  },
  columns: (place) =>
    post(place, '/api/csv/mappings', {
      name: 'Mine',
      headers: ['A', 'B'],
      mapping: { filename: 'A', file_url: 'B' },
    }),
  batch: async (place) => {
    const id = await post(place, '/api/uploads/batches', {})
    await upload(place, id)
    return id
  },
  received_upload: async (place) => upload(place, await post(place, '/api/uploads/batches', {})),
  unfinished_upload: async ({ app, owner }) => {
    const at = await beginUpload({ url: app.url, key: owner.key }, 1000, { filename: 'begun.pdf' })
    return at.split('/').at(-1)!
  },
  licence_list: (place) => post(place, '/api/licence-lists', { name: 'Keys' }),
  saved_view: (place) => post(place, '/api/views', { name: 'Mine' }),
  backup: async ({ app, owner }) => {
    const fileId = await addFile(
      { ...app.engine, scope: owner.scope },
      'backed-up.pdf',
      randomBytes(20),
    )
    const { hash, size_bytes } = (await locateFile(owner.scope, fileId))!
    await recordBackup(owner.scope, { fileId, hash, size_bytes, location: 'backup' })
    return (await owner.call('GET', '/api/backups')).body.data[0].id
  },
  licence_key: async ({ app, owner }) => {
    const generate = { pattern: 'XXXX-XXXX-XXXX', prefix: '', checksum: false }
    const { secrets } = app.engine.parts
    const id = await owner.scope.transaction(async (tx) => {
      const list = await createLicenceList(tx, 'Generated keys', { generate })
      const place = { delivery: randomUUID(), file: randomUUID(), line: null, last: 0 }
      const [made] = await supplyKeys(tx, secrets, { id: list, generate, expiry_days: 1 }, place, 1)
      return made!
    })
    return toPublicId('licence', id)
  },
  customer_data: async ({ app, owner }) => {
    const parts = { ...app.engine.parts, places: {}, clock: () => new Date() }
    const request = { email: 'buyer@example.com', customerId: null, orderIds: [] }
    return toPublicId('answer', (await customerData(parts, owner.scope.shop, request)).id)
  },
  notice: (place) =>
    inserted(place, 'notice', {
      level: 'info',
      title: 'Done',
      body: 'All of it',
      title_text: { message: 'Done' },
      body_text: { message: 'All of it' },
    }),
  message: (place) => {
    const payload = {
      to: ['owner@example.com'],
      template: 'operation-finished',
      subject: 'Done',
      text: 'Done',
      html: '',
    }
    return inserted(place, 'message', {
      key: 'test',
      kind: 'email',
      status: 'failed',
      payload: JSON.stringify(payload),
    })
  },
  webhook: (place) => post(place, '/api/webhooks', { url: `${place.origin.url}/bytes/1/hook` }),
  webhook_message: async (place, need) => {
    const webhook_id = parsePublicId('webhook', await need('webhook'))
    const payload = JSON.stringify({ type: 'webhook.test', data: {} })
    const row = { kind: 'webhook', status: 'failed', payload, webhook_id }
    return inserted(place, 'message', { key: 'webhook', ...row })
  },
}

async function droppedFile(
  { owner: { scope } }: Place,
  state: 'waiting' | 'failed',
  folder: string,
  name: string,
): Promise<string> {
  const [row] = await scope.query<{ id: string }>(
    `insert into drop_entries (shop_id, folder, name, kind, state, closed_cleanly, filed_at,
       dropped_name)
     select :shop, :folder, :name, 'file', :state, true, case when :state = 'failed' then now() end,
       :name
     returning id`,
    { folder, name, state },
  )
  return toPublicId('dropped', row!.id)
}

async function upload({ app, owner }: Place, batch: string): Promise<string> {
  const sender = { url: app.url, key: owner.key }
  const metadata = { filename: 'sent.pdf', batch }
  return (await sendFile(sender, Buffer.alloc(100, 'x'), { metadata }).done).split('/').at(-1)!
}
