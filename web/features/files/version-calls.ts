// A file's versions, its downloads, and changes of a single file.
import { useChangeOf } from '../../shell/client/change.ts'
import { call, callForBytes } from '../../shell/client/client.ts'
import { edit, type KnownTag } from '../../shell/client/edits.ts'
import { type Answer } from '../../shell/client/endpoints.ts'
import { useRead, useReadAll } from '../../shell/client/reads.ts'
import { saveBytes } from '../../shell/client/save.ts'
import { type File, type Schemas } from '../../shell/client/types.ts'

export type Version = Schemas['Version']
export type DownloadRecord = Answer<'GET /api/files/{id}/downloads'>['data'][number]

export const useVersions = ({ id, version }: Pick<File, 'id' | 'version'>) =>
  useReadAll('GET /api/files/{id}/versions', { path: { id }, dependsOn: [version] })

export const useDownloads = ({ id, downloads }: Pick<File, 'id' | 'downloads'>) =>
  useRead('GET /api/files/{id}/downloads', {
    path: { id },
    query: { limit: 25 },
    dependsOn: [downloads],
  })

export type FileChange = Schemas['FileChange']

const keysOf = (id: string) => [['file', id], ['files']]

export const useChangeFile = (id: string, known: KnownTag) =>
  useChangeOf(keysOf(id), (body: FileChange) =>
    edit('PATCH /api/files/{id}', { path: { id }, body }, known),
  )

export const useRestoreVersion = (id: string) =>
  useChangeOf(keysOf(id), (n: number) =>
    call('POST /api/files/{id}/versions/{n}/restore', { path: { id, n } }),
  )

/** An import of one file: it may have failed, or still be running after the wait. */
export type ReplaceResult = Answer<'POST /api/files/{id}/versions'>

/** The links of the file then serve the bytes at the address, or lead to it. */
export const useReplaceFile = (id: string) =>
  useChangeOf(keysOf(id), (body: { url: string } | { link_url: string }) =>
    call('POST /api/files/{id}/versions', { path: { id }, body }),
  )

/** The old address stops working. */
export const useNewAddress = (id: string) =>
  useChangeOf(keysOf(id), (_: void) =>
    call('POST /api/files/{id}/public-address', { path: { id } }),
  )

/** Saves a version's bytes on the merchant's computer. Throws `ApiError`. */
export async function saveVersion(id: string, { number, filename }: Version): Promise<void> {
  saveBytes(await callForBytes(`/api/files/${id}/versions/${number}/content`), filename)
}
