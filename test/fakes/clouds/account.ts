// What all emulators share: the account's files, requests and answers.
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export interface CloudFile {
  /** The path from the account's root. */
  path: string
  content: Buffer
  modified: Date
  /** What lists say, if it is not the size of the content. */
  listedSize?: number
  /** Lists state no hash of it. */
  unhashed?: boolean
}

export interface Account {
  /** May contain a path twice, as Google Drive may. */
  files: CloudFile[]
  /** The number of entries in a page of a listing. */
  page: number
}

export interface Answer {
  status?: number
  headers?: Record<string, string>
  body: unknown
}

export interface CloudRequest {
  method: string
  host: string
  url: URL
  headers: IncomingMessage['headers']
  body: string
}

export const NONE: Answer = { status: 404, body: { error: { code: 'itemNotFound' } } }

/** Folders and files directly in `folder`. */
export function childrenOf({ files }: Account, folder: string) {
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

export const idOf = (text: string) => Buffer.from(text).toString('base64url')
export const pathOf = (id: string) => (id === 'root' ? '' : Buffer.from(id, 'base64url').toString())
export const md5 = (content: Buffer) => createHash('md5').update(content)

export function paged<T>({ page }: Account, all: readonly T[], after: string | null) {
  const first = Number(after ?? 0)
  const more = first + page < all.length
  return { rows: all.slice(first, first + page), next: more ? String(first + page) : null }
}
