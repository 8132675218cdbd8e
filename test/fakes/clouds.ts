// Google, Dropbox and Microsoft on loopback, at their real names and endpoints: rclone reaches them
// through the server's proxy, which this leads here, behind its own certificate.
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { generate } from 'selfsigned'
import type { CloudOptions } from '../../server/channels/cloud/cloud.ts'

const HOSTS = [
  ...['www.googleapis.com', 'oauth2.googleapis.com', 'storage.googleapis.com'],
  ...['api.dropboxapi.com', 'content.dropboxapi.com', 'graph.microsoft.com'],
  ...['login.microsoftonline.com', 'harbour1.blob.core.windows.net', 's3.harbour.test'],
]

export interface CloudFile {
  /** From the account's root. */
  path: string
  content: Buffer
  modified: Date
}

export interface FakeClouds {
  emulators: NonNullable<CloudOptions['emulators']>
  /** May have a path twice, as Google Drive may. */
  files: CloudFile[]
  put(path: string, content: string): void
  /** Every request, as `GET www.googleapis.com/drive/v3/files`. */
  requests: string[]
  /** What it gives is answered instead. */
  intercept(request: { method: string; host: string; path: string }): Answer | null
  /** Requests wait for what it gives. */
  hold(request: { method: string; host: string; path: string }): Promise<unknown> | undefined
  /** Access tokens that are accepted now. */
  tokens: Set<string>
  /** The refresh token that is valid now; null: access was revoked. Each use replaces it. */
  refresh: string | null
  /** Entries in a page of a listing. */
  page: number
  /** Of all of these names. */
  certificate: { key: string; cert: string }
  /** Leads a name to another server of the test. */
  lead(host: string, port: number): void
  close(): Promise<void>
}

interface Answer {
  status?: number
  headers?: Record<string, string>
  body: unknown
}

interface Asked {
  method: string
  host: string
  url: URL
  headers: IncomingMessage['headers']
  body: string
}

const REFUSED: Answer = {
  status: 401,
  body: { error: { code: 401, errors: [{ reason: 'authError' }] } },
}
const EXPIRED: Answer = {
  status: 401,
  body: { error_summary: 'expired_access_token/', error: { '.tag': 'expired_access_token' } },
}
const NONE: Answer = { status: 404, body: { error: { code: 'itemNotFound' } } }

export async function startClouds(): Promise<FakeClouds> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-clouds-'))
  const ca = path.join(folder, 'ca.pem')
  const extensions = [
    { name: 'basicConstraints' as const, cA: true },
    {
      name: 'subjectAltName' as const,
      altNames: HOSTS.map((value) => ({ type: 2 as const, value })),
    },
  ]
  const made = await generate([{ name: 'commonName', value: 'Clouds' }], {
    keyType: 'ec',
    curve: 'P-256',
    extensions,
  })
  await writeFile(ca, made.cert)
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    void answer(clouds, request, response).catch(() => response.destroy())
  }
  const secure = createSecureServer({ key: made.private, cert: made.cert }, listener)
  const plain = createServer(listener)
  for (const server of [secure, plain])
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const [securePort, plainPort] = [secure, plain].map(
    (server) => (server.address() as AddressInfo).port,
  )
  const elsewhere = new Map<string, number>()
  const clouds: FakeClouds = {
    certificate: { key: made.private, cert: made.cert },
    lead: (host, port) => void elsewhere.set(host, port),
    emulators: {
      dial: (host) => {
        if (!HOSTS.includes(host)) throw new Error(`No emulator of ${host}`)
        return connect({ host: '127.0.0.1', port: elsewhere.get(host) ?? securePort! })
      },
      environment: { RCLONE_CA_CERT: ca },
      certificate: made.cert,
      // Ours speaks to the same names, without TLS in between.
      fetch: (input, init) => {
        const url = new URL(String(input instanceof Request ? input.url : input))
        const headers = new Headers(init?.headers)
        headers.set('x-host', url.host)
        return fetch(`http://127.0.0.1:${plainPort}${url.pathname}${url.search}`, {
          ...init,
          headers,
        })
      },
    },
    files: [],
    requests: [],
    tokens: new Set(),
    refresh: 'refresh-canary-1',
    page: 2,
    intercept: () => null,
    hold: () => undefined,
    put: (name, content) => {
      const at = clouds.files.findIndex((file) => file.path === name)
      const file = { path: name, content: Buffer.from(content), modified: new Date() }
      if (at === -1) clouds.files.push(file)
      else clouds.files[at] = file
    },
    close: async () => {
      for (const server of [secure, plain]) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
      await rm(folder, { recursive: true })
    },
  }
  return clouds
}

async function answer(clouds: FakeClouds, request: IncomingMessage, response: ServerResponse) {
  const host = String(request.headers['x-host'] ?? request.headers.host).split(':')[0]!
  const url = new URL(request.url!, `https://${host}`)
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { method = 'GET', headers } = request
  clouds.requests.push(`${method} ${host}${url.pathname}`)
  const asked = { method, host, url, headers, body: Buffer.concat(chunks).toString() }
  await clouds.hold({ method, host, path: url.pathname })
  const {
    status = 200,
    headers: extra,
    body,
  } = clouds.intercept({ method, host, path: url.pathname }) ?? answerOf(clouds, asked)
  const bytes = Buffer.isBuffer(body)
  response
    .writeHead(status, {
      'content-type': bytes ? 'application/octet-stream' : 'application/json',
      ...extra,
    })
    .end(bytes ? body : JSON.stringify(body))
}

function answerOf(clouds: FakeClouds, asked: Asked): Answer {
  if (/\/(oauth2\/(v2\.0\/)?)?token$/.test(asked.url.pathname)) return token(clouds, asked)
  const bearer = /^Bearer (.+)$/.exec(asked.headers.authorization ?? '')?.[1]
  const known = bearer !== undefined && clouds.tokens.has(bearer)
  if (asked.host.endsWith('dropboxapi.com')) return known ? dropbox(clouds, asked) : EXPIRED
  if (!known) return REFUSED
  if (asked.host === 'graph.microsoft.com') return onedrive(clouds, asked)
  return asked.url.pathname.startsWith('/storage/') ? storage(clouds, asked) : drive(clouds, asked)
}

/** A refresh token is good for one use. */
function token(clouds: FakeClouds, { body }: Asked): Answer {
  const form = new URLSearchParams(body)
  const assertion = form.get('grant_type')?.includes('jwt-bearer')
  const code = form.get('grant_type') === 'authorization_code'
  if (code && form.get('code') !== 'the-code')
    return { status: 400, body: { error: 'invalid_grant' } }
  if (
    code &&
    createHash('sha256').update(form.get('code_verifier')!).digest('base64url') !==
      challenges.get('the-code')
  )
    return { status: 400, body: { error: 'invalid_grant' } }
  if (
    !assertion &&
    !code &&
    (clouds.refresh === null || form.get('refresh_token') !== clouds.refresh)
  )
    return { status: 400, body: { error: 'invalid_grant' } }
  const access = `access-canary-${clouds.tokens.size}-${Date.now()}`
  clouds.tokens.add(access)
  if (!assertion)
    clouds.refresh = `refresh-canary-${Number(clouds.refresh?.split('-').at(-1) ?? 0) + 1}`
  return {
    body: {
      ...{ access_token: access, token_type: 'bearer', expires_in: 3600 },
      ...(assertion ? {} : { refresh_token: clouds.refresh }),
    },
  }
}

/** What the address of a sign-in asked for, by the code that it was given. */
const challenges = new Map<string, string>()

/** A person agrees: gives what the provider would send to the callback. */
export function agree(address: string): { code: string; state: string } {
  const { searchParams } = new URL(address)
  if (searchParams.get('code_challenge_method') !== 'S256') throw new Error('No PKCE')
  challenges.set('the-code', searchParams.get('code_challenge')!)
  return { code: 'the-code', state: searchParams.get('state')! }
}

/** Folders and files directly in `folder`. */
function childrenOf({ files }: FakeClouds, folder: string) {
  const prefix = folder === '' ? '' : `${folder}/`
  const inside = files.filter((file) => file.path.startsWith(prefix))
  const folders = new Set(
    inside.flatMap((file) => {
      const rest = file.path.slice(prefix.length)
      return rest.includes('/') ? [prefix + rest.slice(0, rest.indexOf('/'))] : []
    }),
  )
  return {
    folders: [...folders],
    files: inside.filter((file) => !file.path.slice(prefix.length).includes('/')),
  }
}

const idOf = (text: string) => Buffer.from(text).toString('base64url')
const pathOf = (id: string) => (id === 'root' ? '' : Buffer.from(id, 'base64url').toString())
const md5 = (content: Buffer) => createHash('md5').update(content)

function paged<T>({ page }: FakeClouds, all: readonly T[], after: string | null) {
  const first = Number(after ?? 0)
  const more = first + page < all.length
  return { rows: all.slice(first, first + page), next: more ? String(first + page) : null }
}

const FOLDER = 'application/vnd.google-apps.folder'

function drive(clouds: FakeClouds, { url }: Asked): Answer {
  const id = /\/files\/([^/]+)$/.exec(url.pathname)?.[1]
  if (id === 'root') return { body: { id: 'root', mimeType: FOLDER, name: 'My Drive' } }
  if (id !== undefined) {
    const [at] = pathOf(id).split('#')
    const found = clouds.files[Number(at)]
    if (!found) return NONE
    return url.searchParams.get('alt') === 'media'
      ? { body: found.content }
      : { body: driveFile(found, Number(at)) }
  }
  const query = url.searchParams.get('q') ?? ''
  const parents = [...query.matchAll(/'([^']+)' in parents/g)].map((match) => match[1]!)
  const name = /name='((?:[^'\\]|\\.)*)'/.exec(query)?.[1]?.replace(/\\(.)/g, '$1')
  const rows = parents.flatMap((parent) => {
    const { folders, files } = childrenOf(clouds, parent === 'root' ? '' : pathOf(parent))
    return [
      ...folders.map((folder) => ({
        ...{ id: idOf(folder), name: path.basename(folder), mimeType: FOLDER, parents: [parent] },
        modifiedTime: '2026-01-01T00:00:00.000Z',
      })),
      ...files.map((file) => ({
        ...driveFile(file, clouds.files.indexOf(file)),
        parents: [parent],
      })),
    ]
  })
  const { rows: files, next } = paged(
    clouds,
    rows.filter((row) => name === undefined || row.name === name),
    url.searchParams.get('pageToken'),
  )
  return { body: { files, ...(next ? { nextPageToken: next } : {}) } }
}

const driveFile = (file: CloudFile, at: number) => ({
  ...{ id: idOf(`${at}#`), name: path.basename(file.path), mimeType: 'application/pdf' },
  ...{ size: String(file.content.length), md5Checksum: md5(file.content).digest('hex') },
  modifiedTime: file.modified.toISOString(),
})

const BLOCK = 4 * 1024 ** 2

function dropboxHash(content: Buffer): string {
  const whole = createHash('sha256')
  for (let at = 0; at < content.length; at += BLOCK)
    whole.update(
      createHash('sha256')
        .update(content.subarray(at, at + BLOCK))
        .digest(),
    )
  return whole.digest('hex')
}

const seconds = (date: Date) => date.toISOString().replace(/\.\d+/, '')

function dropbox(clouds: FakeClouds, { url, headers, body }: Asked): Answer {
  const entryOf = (file: CloudFile) => ({
    ...{ '.tag': 'file', name: path.basename(file.path), id: `id:${idOf(file.path)}` },
    ...{ path_lower: `/${file.path.toLowerCase()}`, path_display: `/${file.path}` },
    ...{ size: file.content.length, content_hash: dropboxHash(file.content), rev: '0123456789abc' },
    ...{ client_modified: seconds(file.modified), server_modified: seconds(file.modified) },
    is_downloadable: true,
  })
  const folderOf = (folder: string) => ({
    ...{ '.tag': 'folder', name: path.basename(folder), id: `id:${idOf(folder)}` },
    ...{ path_lower: `/${folder.toLowerCase()}`, path_display: `/${folder}` },
  })
  const missing = {
    status: 409,
    body: {
      error_summary: 'path/not_found/',
      error: { '.tag': 'path', path: { '.tag': 'not_found' } },
    },
  }
  const find = (wanted: string) =>
    clouds.files.find((file) => `/${file.path}`.toLowerCase() === wanted.toLowerCase())
  if (url.pathname.endsWith('/download')) {
    const { path: wanted } = JSON.parse(String(headers['dropbox-api-arg'])) as { path: string }
    const byId = clouds.files.find((file) => `id:${idOf(file.path)}` === wanted)
    const found = byId ?? find(wanted)
    if (!found) return missing
    return {
      body: found.content,
      headers: { 'dropbox-api-result': JSON.stringify(entryOf(found)) },
    }
  }
  const given = JSON.parse(body || '{}') as { path?: string; cursor?: string; recursive?: boolean }
  const listing = /list_folder(\/continue)?$/.test(url.pathname)
  if (!listing) {
    const found = find(given.path ?? '')
    if (found) return { body: entryOf(found) }
    const folder = (given.path ?? '').slice(1)
    const has = clouds.files.some((file) =>
      file.path.toLowerCase().startsWith(`${folder.toLowerCase()}/`),
    )
    return has ? { body: folderOf(folder) } : missing
  }
  const [folder, after] = given.cursor
    ? (JSON.parse(given.cursor) as [string, string])
    : [given.path!.slice(1), null]
  const { folders, files } = childrenOf(clouds, folder)
  if (folders.length + files.length === 0 && folder !== '') return missing
  const { rows, next } = paged(clouds, [...folders.map(folderOf), ...files.map(entryOf)], after)
  return {
    body: { entries: rows, has_more: next !== null, cursor: JSON.stringify([folder, next ?? '0']) },
  }
}

function onedrive(clouds: FakeClouds, { url }: Asked): Answer {
  if (url.pathname === '/v1.0/me/drive') return { body: { id: 'd!1', driveType: 'business' } }
  const driveId = /\/drives\/([^/]+)/.exec(decodeURIComponent(url.pathname))?.[1]
  const itemOf = (file: CloudFile) => ({
    ...{ id: idOf(file.path), name: path.basename(file.path), size: file.content.length },
    file: { mimeType: 'application/pdf', hashes: {} },
    ...times(file.modified),
    parentReference: { driveId, id: idOf(path.posix.dirname(file.path)) },
  })
  const times = (date: Date) => ({
    fileSystemInfo: {
      createdDateTime: date.toISOString(),
      lastModifiedDateTime: date.toISOString(),
    },
    lastModifiedDateTime: date.toISOString(),
  })
  const folderOf = (folder: string) => ({
    ...{ id: folder === '' ? 'root' : idOf(folder), name: path.basename(folder), size: 0 },
    folder: { childCount: 1 },
    ...times(new Date(0)),
    parentReference: { driveId, id: 'root' },
  })
  const rest = decodeURIComponent(url.pathname).replace(/^\/v1\.0\/drives\/[^/]+\//, '')
  const named = /^(?:root|items\/([^/:]+)):\/(.*?):?(\/children|\/content)?$/.exec(rest)
  const direct = /^(?:items\/)?([^/]+)(\/children|\/content)?$/.exec(rest)
  const wanted = named
    ? [pathOf(named[1] ?? 'root'), named[2]].filter(Boolean).join('/')
    : pathOf(direct?.[1] ?? 'root')
  const what = named ? named[3] : direct?.[2]
  const file = clouds.files.find((one) => one.path.toLowerCase() === wanted.toLowerCase())
  if (what === '/content') return file ? { body: file.content } : NONE
  const { folders, files } = childrenOf(clouds, wanted)
  if (what === undefined) {
    if (file) return { body: itemOf(file) }
    return folders.length + files.length > 0 || wanted === '' ? { body: folderOf(wanted) } : NONE
  }
  const after = url.searchParams.get('$skiptoken')
  const { rows, next } = paged(clouds, [...folders.map(folderOf), ...files.map(itemOf)], after)
  const link = new URL(url)
  link.searchParams.set('$skiptoken', next ?? '')
  return { body: { value: rows, ...(next ? { '@odata.nextLink': link.href } : {}) } }
}

function storage(clouds: FakeClouds, { url }: Asked): Answer {
  const objectOf = (file: CloudFile) => ({
    ...{
      kind: 'storage#object',
      name: file.path,
      bucket: 'harbour',
      size: String(file.content.length),
    },
    ...{ md5Hash: md5(file.content).digest('base64'), updated: file.modified.toISOString() },
    mediaLink: `https://storage.googleapis.com/storage/v1/b/harbour/o/${encodeURIComponent(file.path)}?alt=media`,
    contentType: 'application/pdf',
  })
  const [, bucket, key] = /\/b\/([^/]+)\/o(?:\/(.+))?$/.exec(url.pathname) ?? []
  if (bucket !== 'harbour')
    return { status: 404, body: { error: { code: 404, message: 'bucket does not exist' } } }
  if (key !== undefined) {
    const found = clouds.files.find((file) => file.path === decodeURIComponent(key))
    if (!found) return NONE
    return url.searchParams.get('alt') === 'media'
      ? { body: found.content }
      : { body: objectOf(found) }
  }
  const prefix = url.searchParams.get('prefix') ?? ''
  const rows = clouds.files.filter((file) => file.path.startsWith(prefix)).map(objectOf)
  const { rows: items, next } = paged(clouds, rows, url.searchParams.get('pageToken'))
  return { body: { kind: 'storage#objects', items, ...(next ? { nextPageToken: next } : {}) } }
}
