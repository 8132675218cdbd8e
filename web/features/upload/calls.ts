// Uploads, except their bytes: which names are taken, and batches of files that become one
// operation.
import { call } from '../../shell/client/client.ts'
import { type Operation, type Schemas } from '../../shell/client/types.ts'

export type CheckedName = Schemas['CheckedName']

const NAME_BATCH = 1000

/** One answer for each name. */
export async function checkNames(filenames: readonly string[]): Promise<Map<string, CheckedName>> {
  const found = new Map<string, CheckedName>()
  for (let from = 0; from < filenames.length; from += NAME_BATCH) {
    const some = filenames.slice(from, from + NAME_BATCH)
    const { data } = await call<{ data: CheckedName[] }>('/api/uploads/check-names', {
      method: 'POST',
      body: { filenames: some },
    })
    data.forEach((answer, at) => found.set(some[at]!, answer))
  }
  return found
}

/** Each of the `count` files is imported when it has arrived; the import ends with the last one. */
export const createBatch = (count: number): Promise<{ id: string }> =>
  call('/api/uploads/batches', { method: 'POST', body: { count } })

/**
 * Imports the files that have arrived, and ends the batch's import; with nothing new, gives the
 * last operation.
 */
export const startBatch = (id: string): Promise<Operation> =>
  call(`/api/uploads/batches/${id}/start`, { method: 'POST' })

export const readOperation = (id: string): Promise<Operation> => call(`/api/operations/${id}`)

export const retryOperation = (id: string): Promise<Operation> =>
  call(`/api/operations/${id}/retry`, { method: 'POST' })

export const readBatch = (id: string): Promise<Schemas['UploadBatch']> =>
  call(`/api/uploads/batches/${id}`)

export type UploadResult = Schemas['UploadResult']

/** At most 200 in one call. Unknown uploads are absent. */
export async function readResults(uploads: readonly string[]): Promise<Map<string, UploadResult>> {
  const { data } = await call<{ data: UploadResult[] }>('/api/uploads/results', {
    method: 'POST',
    body: { upload_ids: uploads },
  })
  return new Map(data.map((result) => [result.upload_id, result]))
}
