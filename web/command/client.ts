// The typed client: `openapi-fetch` over the types of the API, with what every program needs
// in addition to single requests.
import createClient from 'openapi-fetch'
import path from 'node:path'
import { ownValue } from '../../plugins/_page/own-value.ts'
import { ownPackage } from './own-package.ts'
import { openFile } from './local-file.ts'
import { dataOf, errorFrom, errorOf, StevedoreError } from './errors.ts'
import { Requests, sendRequest, type RequestsParts } from './requests.ts'
import { sendOverTus, uploadIdOf, type ByteSource } from './tus.ts'
import type * as Public from './types.ts'
import type { Paths, Schemas } from './paths.ts'

export { dataOf, StevedoreError }

/** For the parts of the command that send bytes. */
export interface ClientParts {
  client: Public.Stevedore
  requests: Requests
}

/** Exported for programs: it is what the package is imported for. */
export const stevedore: typeof Public.stevedore = (options = {}) => openClient(options).client

/** The client with its requests. Throws if there is no address or no key. */
export function openClient(options: Public.StevedoreOptions & RequestsParts): ClientParts {
  const url = options.url ?? process.env.STEVEDORE_URL ?? ownPackage()?.stevedore?.url
  const key = options.key ?? process.env.STEVEDORE_KEY
  if (!url) throw new Error('Give the address of the installation: `url`, or STEVEDORE_URL')
  if (!key) throw new Error('Give an API key: `key`, or STEVEDORE_KEY')
  const shop = options.shop ?? (process.env.STEVEDORE_SHOP || undefined)
  const about = { ...options, url: url.replace(/\/+$/, ''), key }
  const requests = new Requests({ ...about, ...(shop === undefined ? {} : { shop }) })
  return { client: clientOf(requests), requests }
}

function clientOf(requests: Requests): Public.Stevedore {
  const typed = createClient<Paths>({
    baseUrl: requests.url,
    fetch: (request) => sendRequest(requests, request),
    signal: requests.signal ?? null,
    // The API takes lists as `a,b`.
    querySerializer: { array: { style: 'form', explode: false } },
  })
  const client: Public.Stevedore = Object.assign(typed, {
    url: requests.url,
    shop: requests.shop,
    fetch: (at: string, init?: RequestInit) => requests.send(at, init ?? {}),
    all: (at: string, query?: unknown, params?: Readonly<Record<string, string>>) =>
      allPages(requests, pathOf(at, params), query as object) as never,
    wait: (id: string, given?: Public.WaitOptions) => waitUntilEnded(requests, id, given),
    upload: (file: string | Uint8Array, given: Public.UploadOptions = {}) =>
      uploadFile(requests, file, given),
    importFiles: (
      entries: Iterable<Public.ImportEntry> | AsyncIterable<Public.ImportEntry>,
      given: Public.ImportFilesOptions = {},
    ) => importFiles(requests, entries, given),
    once: async <Data>(
      key: string,
      call: (params: { header: { 'Idempotency-Key': string } }) => Promise<Public.Answered<Data>>,
    ) => dataOf(await call({ header: { 'Idempotency-Key': key } })) as Data,
  })
  return client
}

const PAGE = 250

const pathOf = (at: string, params: Readonly<Record<string, string>> = {}): string =>
  at.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = ownValue(params, name)
    if (value === undefined) throw new Error(`Give the \`${name}\` in ${at}`)
    return encodeURIComponent(value)
  })

async function* allPages(requests: Requests, at: string, query: object): AsyncGenerator<unknown> {
  let cursor: string | null = null
  do {
    const params: URLSearchParams = new URLSearchParams({ limit: String(PAGE) })
    for (const [name, value] of Object.entries({ ...query, ...(cursor ? { cursor } : {}) }))
      if (value !== undefined && value !== null) params.set(name, String(value))
    const page: { data: unknown[]; next_cursor: string | null } = await readJson(
      requests,
      `${at}?${params}`,
    )
    yield* page.data
    cursor = page.next_cursor
  } while (cursor !== null)
}

async function readJson<Data>(requests: Requests, at: string, init = {}): Promise<Data> {
  const response = await requests.send(at, init)
  if (!response.ok) throw await errorFrom(response)
  return (await response.json()) as Data
}

/** The intervals at which a job is read. */
const SHORTEST_MS = 250
const LONGEST_MS = 5000
const BUSY = ['previewing', 'queued', 'running', 'paused']

async function waitUntilEnded(
  requests: Requests,
  id: string,
  { onChange, signal }: Public.WaitOptions = {},
): Promise<Public.Operation> {
  const at = `/api/operations/${encodeURIComponent(id)}`
  for (let interval = SHORTEST_MS; ; interval = Math.min(interval * 1.5, LONGEST_MS)) {
    const operation: Public.Operation = await readJson(requests, at, signal ? { signal } : {})
    onChange?.(operation)
    if (!BUSY.includes(operation.status)) return operation
    await requests.sleep(interval, signal)
  }
}

/** The maximum number of entries in a JSON body. */
const MAX_ENTRIES = 1000

/** The entries are kept as text: a repetition sends the same bytes. */
async function importFiles(
  requests: Requests,
  entries: Iterable<Public.ImportEntry> | AsyncIterable<Public.ImportEntry>,
  { key, signal, ...about }: Public.ImportFilesOptions,
): Promise<Schemas['Import']> {
  const texts: string[] = []
  for await (const entry of entries) texts.push(JSON.stringify(entry))
  const isLong = texts.length > MAX_ENTRIES
  const fields = JSON.stringify(about).slice(1, -1)
  return readJson(requests, '/api/files/import', {
    method: 'POST',
    headers: {
      'Content-Type': isLong ? 'application/x-ndjson' : 'application/json',
      Prefer: 'respond-async',
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    },
    body: isLong
      ? [`{"import":{${fields}}}`, ...texts].join('\n')
      : `{"files":[${texts.join()}]${fields && `,${fields}`}}`,
    ...(signal ? { signal } : {}),
  })
}

async function uploadFile(
  requests: Requests,
  file: string | Uint8Array,
  options: Public.UploadOptions,
): Promise<Public.UploadResult> {
  const isPath = typeof file === 'string'
  const filename = options.filename ?? (isPath ? path.basename(file) : undefined)
  if (filename === undefined) throw new Error('Give the `filename` of these bytes')
  const source = isPath ? await openFile(file) : sourceOf(file)
  try {
    const at = await sendOverTus(requests, source, {
      ...options,
      metadata: metadataOf({ ...options, filename }),
    })
    // A batch may be imported later.
    const result = await resultOf(requests, at, { ...options, wait: options.batch === undefined })
    if (result.error) throw new StevedoreError(result.error.code, result.error.message)
    return result
  } finally {
    await source.close?.()
  }
}

/** What an upload tells about its file. */
export const metadataOf = ({
  filename,
  onConflict,
  tags = [],
  productSku,
  pack,
  batch,
}: Public.UploadOptions & { filename: string }): Record<string, string> => ({
  filename,
  ...(onConflict ? { on_conflict: onConflict } : {}),
  ...(tags.length > 0 ? { tags: tags.join(',') } : {}),
  ...(productSku ? { product_sku: productSku } : {}),
  ...(pack ? { pack } : {}),
  ...(batch ? { batch } : {}),
})

const sourceOf = (bytes: Uint8Array): ByteSource => ({
  size: bytes.byteLength,
  read: (from, length) => Promise.resolve(new Uint8Array(bytes.slice(from, from + length))),
})

/** Its import has not ended. */
export const isOpen = ({ status }: Public.UploadResult): boolean =>
  ['uploading', 'received', 'importing'].includes(status)

/** Reads are cheap, but writes, which this POST counts as, are limited. */
const RESULT_MS = 1000

/** The result of an upload; `wait`: when it is imported. */
async function resultOf(
  requests: Requests,
  at: string,
  { signal, wait }: { signal?: AbortSignal; wait: boolean },
): Promise<Public.UploadResult> {
  for (;;) {
    const results = await uploadResults(requests, [uploadIdOf(at)])
    const [result] = results
    if (!result) throw errorOf(404, { error: { code: 'not_found', message: 'No such upload' } })
    if (!wait || !isOpen(result)) return result
    await requests.sleep(RESULT_MS, signal)
  }
}

/** The results of up to 200 uploads. */
export async function uploadResults(
  requests: Requests,
  ids: readonly string[],
): Promise<Public.UploadResult[]> {
  const { data } = await readJson<{ data: Public.UploadResult[] }>(
    requests,
    '/api/uploads/results',
    {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ upload_ids: ids }),
    },
  )
  return data
}
