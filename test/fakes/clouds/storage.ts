// Google Cloud Storage.
import {
  md5,
  NONE,
  paged,
  type Account,
  type Answer,
  type CloudRequest,
  type CloudFile,
} from './account.ts'

export function storage(clouds: Account, { url }: CloudRequest): Answer {
  const objectOf = (file: CloudFile) => ({
    kind: 'storage#object',
    name: file.path,
    bucket: 'harbour',
    size: String(file.content.length),
    ...(file.unhashed ? {} : { md5Hash: md5(file.content).digest('base64') }),
    updated: file.modified.toISOString(),
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
