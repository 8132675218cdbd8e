// Google Drive.
import path from 'node:path'
import {
  childrenOf,
  idOf,
  md5,
  NONE,
  paged,
  pathOf,
  type Account,
  type Answer,
  type CloudRequest,
  type CloudFile,
} from './account.ts'

const FOLDER = 'application/vnd.google-apps.folder'

export function drive(clouds: Account, { url }: CloudRequest): Answer {
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
        id: idOf(folder),
        name: path.basename(folder),
        mimeType: FOLDER,
        parents: [parent],
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
  id: idOf(`${at}#`),
  name: path.basename(file.path),
  mimeType: 'application/pdf',
  size: String(file.content.length),
  ...(file.unhashed ? {} : { md5Checksum: md5(file.content).digest('hex') }),
  modifiedTime: file.modified.toISOString(),
})
