// Dropbox.
import { createHash } from 'node:crypto'
import path from 'node:path'
import {
  childrenOf,
  idOf,
  paged,
  type Account,
  type Answer,
  type CloudRequest,
  type CloudFile,
} from './account.ts'

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

export function dropbox(clouds: Account, { url, headers, body }: CloudRequest): Answer {
  const entryOf = (file: CloudFile) => ({
    '.tag': 'file',
    name: path.basename(file.path),
    id: `id:${idOf(file.path)}`,
    path_lower: `/${file.path.toLowerCase()}`,
    path_display: `/${file.path}`,
    size: file.content.length,
    content_hash: dropboxHash(file.content),
    rev: '0123456789abc',
    client_modified: seconds(file.modified),
    server_modified: seconds(file.modified),
    is_downloadable: true,
  })
  const folderOf = (folder: string) => ({
    '.tag': 'folder',
    name: path.basename(folder),
    id: `id:${idOf(folder)}`,
    path_lower: `/${folder.toLowerCase()}`,
    path_display: `/${folder}`,
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
