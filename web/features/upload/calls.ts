// Uploads, except their bytes: which names are taken, and batches of files that become one
// operation.
import { call } from '../../shell/client/client.ts'
import { type Answer } from '../../shell/client/endpoints.ts'
import { type Schemas } from '../../shell/client/types.ts'

export type CheckedName = Schemas['CheckedName']

const CHECK_BATCH = 1000

/** Checks names; the result has one answer for each. */
export async function checkNames(filenames: readonly string[]): Promise<Map<string, CheckedName>> {
  const found = new Map<string, CheckedName>()
  for (let from = 0; from < filenames.length; from += CHECK_BATCH) {
    const some = filenames.slice(from, from + CHECK_BATCH)
    const { data } = await call('POST /api/uploads/check-names', { body: { filenames: some } })
    for (const [at, name] of some.entries()) {
      const answer = data[at]
      if (answer) found.set(name, answer)
    }
  }
  return found
}

export type OfferedFile = Schemas['UploadCheckRequest']['files'][number]
type CheckedFile = Answer<'POST /api/uploads/check'>['data'][number]
export type ShopFile = NonNullable<CheckedFile['same_bytes_as']>

/** Compares files with those of the shop; one answer for each, in their order. */
export async function checkFiles(
  files: readonly OfferedFile[],
  signal: AbortSignal,
): Promise<CheckedFile[]> {
  const found: CheckedFile[] = []
  for (let from = 0; from < files.length; from += CHECK_BATCH) {
    const some = files.slice(from, from + CHECK_BATCH)
    const options = { body: { files: some }, signal }
    found.push(...(await call('POST /api/uploads/check', options)).data)
  }
  return found
}

/** What the import writes to all files of a batch. */
export type BatchFiles = NonNullable<Schemas['UploadBatchRequest']['files']>

/** Begins an import of `count` files: each is imported when it has arrived, and the last one ends it. */
export const createBatch = (count: number, files: BatchFiles) =>
  call('POST /api/uploads/batches', { body: { count, files } })

/** The choice applies to files that have not arrived yet. */
export const changeBatch = (id: string, files: BatchFiles) =>
  call('PATCH /api/uploads/batches/{id}', { path: { id }, body: { files } })

/**
 * Imports the files that have arrived, and ends the batch's import; with nothing new, gives the
 * last operation.
 */
export const startBatch = (id: string) =>
  call('POST /api/uploads/batches/{id}/start', { path: { id } })

export const readOperation = (id: string) => call('GET /api/operations/{id}', { path: { id } })

export const retryOperation = (id: string) =>
  call('POST /api/operations/{id}/retry', { path: { id }, body: {} })

export const readBatch = (id: string) => call('GET /api/uploads/batches/{id}', { path: { id } })

export type UploadResult = Schemas['UploadResult']

/** The results of at most 200 uploads. Unknown uploads are absent. */
export async function readResults(uploads: readonly string[]): Promise<Map<string, UploadResult>> {
  const { data } = await call('POST /api/uploads/results', { body: { upload_ids: uploads } })
  return new Map(data.map((result) => [result.upload_id, result]))
}
