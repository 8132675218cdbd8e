// A file's versions, its downloads, and changes of a single file.
import { useQuery } from '@tanstack/react-query'
import { useChangeOf } from '../../shell/client/change.ts'
import { call, callForAll, callForBytes } from '../../shell/client/client.ts'
import { edit, type KnownTag } from '../../shell/client/edits.ts'
import { saveBytes } from '../../shell/client/save.ts'
import { type File, type FileDetail, type Page, type Schemas } from '../../shell/client/types.ts'

export type Version = Schemas['Version']

export interface DownloadRecord {
  at: string
  link_id: string | null
  address: string
  agent: string
}

export const useVersions = (file: Pick<File, 'id' | 'version'>) =>
  useQuery({
    queryKey: ['versions', file.id, file.version],
    queryFn: ({ signal }) => callForAll<Version>(`/api/files/${file.id}/versions`, signal),
  })

export const useDownloads = (file: Pick<File, 'id' | 'downloads'>) =>
  useQuery({
    queryKey: ['downloads', file.id, file.downloads],
    queryFn: ({ signal }) =>
      call<Page<DownloadRecord>>(`/api/files/${file.id}/downloads`, {
        query: { limit: 25 },
        signal,
      }),
  })

export type FileChange = Schemas['FileChange']

const useFileChange = <Input, Output = unknown>(
  id: string,
  send: (input: Input) => Promise<Output>,
) => useChangeOf([['file', id], ['versions', id], ['files']], send)

export const useChangeFile = (id: string, known: KnownTag) =>
  useFileChange<FileChange>(id, (change) =>
    edit<FileDetail>(`/api/files/${id}`, 'PATCH', change, known),
  )

export const useRestoreVersion = (id: string) =>
  useFileChange<number>(id, (number) =>
    call<File>(`/api/files/${id}/versions/${number}/restore`, { method: 'POST' }),
  )

/** An import of one file: it may have failed, or still be running after the wait. */
export interface ReplaceResult {
  status: 'success' | 'partial' | 'failed' | 'processing'
  files: {
    status: 'imported' | 'failed' | 'skipped' | 'queued'
    error?: { message: string; detail?: string }
  }[]
  job_id: string
}

/** Its links then serve the new bytes. */
export const useReplaceFile = (id: string) =>
  useFileChange<string, ReplaceResult>(id, (url) =>
    call(`/api/files/${id}/versions`, { method: 'POST', body: { url } }),
  )

/** The old address stops working. */
export const useNewAddress = (id: string) =>
  useFileChange<void>(id, () => call<File>(`/api/files/${id}/public-address`, { method: 'POST' }))

/** Saves a version's bytes on the merchant's computer. Throws `ApiError`. */
export async function saveVersion(id: string, { number, filename }: Version): Promise<void> {
  saveBytes(await callForBytes(`/api/files/${id}/versions/${number}/content`), filename)
}
