// OneDrive and SharePoint, through Microsoft Graph.
import path from 'node:path'
import {
  childrenOf,
  idOf,
  NONE,
  paged,
  pathOf,
  type Account,
  type Answer,
  type CloudRequest,
  type CloudFile,
} from './account.ts'

export function onedrive(clouds: Account, { url }: CloudRequest): Answer {
  if (url.pathname === '/v1.0/me/drive') return { body: { id: 'd!1', driveType: 'business' } }
  const driveId = /\/drives\/([^/]+)/.exec(decodeURIComponent(url.pathname))?.[1]
  const itemOf = (file: CloudFile) => ({
    id: idOf(file.path),
    name: path.basename(file.path),
    size: file.listedSize ?? file.content.length,
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
    id: folder === '' ? 'root' : idOf(folder),
    name: path.basename(folder),
    size: 0,
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
