// Sends files as a browser does, with a real tus client over a real socket; or single requests,
// also malformed ones.
import type { ShopScope } from '../server/core/db/for-shop.ts'
import { Upload, type UploadOptions } from 'tus-js-client'

export interface Sender {
  url: string
  key: string
}

export type SendFileOptions = Pick<
  UploadOptions,
  'metadata' | 'chunkSize' | 'uploadUrl' | 'retryDelays' | 'onProgress' | 'onChunkComplete'
>

/** Resolves with the upload's address; rejects with the client's error. */
export function sendFile(
  { url, key }: Sender,
  bytes: Buffer,
  sent: SendFileOptions,
): { upload: Upload; done: Promise<string> } {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const upload: Upload = new Upload(bytes, {
    endpoint: `${url}/api/uploads`,
    headers: { authorization: `Bearer ${key}` },
    retryDelays: [],
    storeFingerprintForResuming: false,
    onError: reject,
    onSuccess: () => resolve(upload.url!),
    ...sent,
  })
  upload.start()
  return { upload, done: promise }
}

export const metadataOf = (fields: Record<string, string>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',')

/** Sends one request of the protocol. */
export function tus(
  { url, key }: Sender,
  method: string,
  at: string,
  headers: Record<string, string> = {},
  body?: Uint8Array,
): Promise<Response> {
  return fetch(new URL(at, url), {
    method,
    headers: { authorization: `Bearer ${key}`, 'tus-resumable': '1.0.0', ...headers },
    ...(body ? { body } : {}),
  })
}

/** Creates an upload; returns its address on the server. */
export async function beginUpload(
  sender: Sender,
  size: number,
  fields: Record<string, string>,
): Promise<string> {
  const response = await create(sender, size, fields)
  if (response.status !== 201)
    throw new Error(`The creation was answered ${response.status}: ${await response.text()}`)
  return response.headers.get('location')!
}

export const create = (
  sender: Sender,
  size: number,
  fields: Record<string, string>,
): Promise<Response> =>
  tus(sender, 'POST', '/api/uploads', {
    'upload-length': String(size),
    'upload-metadata': metadataOf(fields),
  })

export const patch = (
  sender: Sender,
  at: string,
  offset: number,
  bytes: Uint8Array,
  headers: Record<string, string> = {},
): Promise<Response> =>
  tus(
    sender,
    'PATCH',
    at,
    {
      'upload-offset': String(offset),
      'content-type': 'application/offset+octet-stream',
      ...headers,
    },
    bytes,
  )

export async function offsetOf(sender: Sender, at: string): Promise<number> {
  const response = await tus(sender, 'HEAD', at)
  if (response.status !== 200) throw new Error(`HEAD was answered ${response.status}`)
  return Number(response.headers.get('upload-offset'))
}

export async function newUploadId(scope: ShopScope): Promise<string> {
  const row = await scope.one<{ id: string }>('select uuidv7() as id from shops where id = :shop')
  return row.id
}
