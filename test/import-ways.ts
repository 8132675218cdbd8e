// The channels through which every shop imports: one file through each, for tests of what all of
// them have in common.
import { untilEnded, type Answer } from './app.ts'
import type { CsvApp } from './csv.ts'
import { contentOf } from './fakes/content.ts'
import { sendFile } from './uploads.ts'

/** Imports one file; returns the operation once it has ended. */
export type ImportWay = (filename: string) => Promise<Answer['body']>

/** @param given the app, and the address at which an origin has the file */
export function importWays(
  given: () => { app: CsvApp; address: (filename: string) => string },
): Record<'api' | 'csv' | 'upload', ImportWay> {
  return {
    api: async (filename) => {
      const { app, address } = given()
      const files = [{ filename, url: address(filename) }]
      const { body } = await app.owner.call('POST', '/api/files/import', { files })
      return untilEnded(app.owner, body.job_id)
    },
    csv: async (filename) => {
      const { app, address } = given()
      const id = await app.uploaded(`filename,file_url\n${filename},${address(filename)}\n`)
      await app.checked(id)
      const { body } = await app.owner.call('POST', `/api/csv/${id}/start`, {})
      return untilEnded(app.owner, body.job_id)
    },
    upload: async (filename) => {
      const { app } = given()
      const { body: batch } = await app.owner.call('POST', '/api/uploads/batches', {})
      await sendFile({ url: app.url, key: app.owner.key }, contentOf(100, filename), {
        metadata: { filename, batch: batch.id },
      }).done
      const { body } = await app.owner.call('POST', `/api/uploads/batches/${batch.id}/start`)
      return untilEnded(app.owner, body.id)
    },
  }
}
