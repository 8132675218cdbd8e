// CSV imports: upload the file, assign its columns, check its rows, import.
import { ifFailed, useChangeOf } from '../../shell/client/change.ts'
import { call, callForBytes } from '../../shell/client/client.ts'
import { type Answer } from '../../shell/client/endpoints.ts'
import { BUSY_MS, LIVE_MS } from '../../shell/client/polling.ts'
import { keyOf, useRead } from '../../shell/client/reads.ts'
import { saveBytes } from '../../shell/client/save.ts'
import { type Schemas } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'
import { showAnswer } from '../../shell/client/show-answer.ts'

export const CSV_FIELDS = [
  'filename',
  'file_url',
  'link_url',
  'product_sku',
  'product_handle',
  'product_id',
  'expiry_days',
  'download_limit',
  'visibility',
  'cdn',
  'download_notification',
  'download_tracking',
  'allowed_referrers',
  'view',
  'view_limit',
  'view_days',
  'available_from',
  'available_after_days',
  'first_use_hours',
  'customer_tag',
  'buyer_text',
  'ask_for',
  'sample_pages',
  'sample_seconds',
  'pack',
  'tags',
  'id',
  'command',
  'sha256',
] as const
export type CsvUpload = Schemas['CsvFile']
export type CsvEncoding = Schemas['CsvEncoding']['encoding']
export type CsvMapping = Answer<'GET /api/csv/mappings'>['data'][number]
export type CsvField = keyof CsvUpload['mapping']

/** Field → header of a column; null: no column. */
export type CsvColumns = CsvUpload['mapping']

type CsvCheckOptions = Schemas['CsvCheck']

export type CsvCheck = NonNullable<CsvUpload['check']>

export type CsvProblem = Schemas['CsvProblem']

/** A stored file, without its rows. */
export type KeptCsv = Schemas['ListedCsvFile']

/** A check of corrected rows is short, and the merchant waits for it. */
const RECHECK_MS = 300

/** Addresses may take longer than everything else. */
const pollingOf = ({ recheck }: CsvUpload): number =>
  recheck && recheck.phase !== 'urls' ? RECHECK_MS : LIVE_MS

export const keyOfCsv = (id: string) => keyOf('GET /api/csv/{id}', { path: { id } })

export const useCsv = (id: string) =>
  useRead('GET /api/csv/{id}', {
    path: { id },
    poll: (file) => (file?.status === 'checking' ? pollingOf(file) : false),
  })

/** Stored files, newest first. */
export const useKeptCsvs = () =>
  useRead('GET /api/csv', {
    poll: (files) => (files?.data.some(({ status }) => status === 'checking') ? BUSY_MS : false),
  })

/**
 * A change of the file; `fileOf`: the file in the answer. After a refusal it is read again: it may
 * have been started in another tab.
 */
export const useCsvChange = <Input, Output>(
  id: string,
  send: (input: Input) => Promise<Output>,
  fileOf: (output: Output) => CsvUpload,
) =>
  useChangeOf(ifFailed(keyOfCsv(id)), send, {
    show: (client, output) => showAnswer(client, keyOfCsv(id), fileOf(output)),
  })

/** The answer is the file. */
export const itself = (file: CsvUpload): CsvUpload => file

/** Sends a file; the answer contains the suggested columns. */
export const useSendCsv = () =>
  useChangeOf(
    [],
    (file: File) =>
      call('POST /api/csv', {
        query: { filename: file.name },
        file: { bytes: file, type: 'text/csv' },
      }),
    { show: (client, upload) => showAnswer(client, keyOfCsv(upload.id), upload) },
  )

export const useSetColumns = (id: string) =>
  useCsvChange(
    id,
    (mapping: CsvColumns) => call('PUT /api/csv/{id}/columns', { path: { id }, body: { mapping } }),
    itself,
  )

/** The file is read again; columns are suggested again. */
export const useChooseEncoding = (id: string) =>
  useCsvChange(
    id,
    (encoding: CsvEncoding) =>
      call('PUT /api/csv/{id}/encoding', { path: { id }, body: { encoding } }),
    itself,
  )

/** Chooses a sheet of a workbook. */
export const useChooseSheet = (id: string) =>
  useCsvChange(
    id,
    (sheet: string) => call('PUT /api/csv/{id}/sheet', { path: { id }, body: { sheet } }),
    itself,
  )

/** The row of the header; 0: there is none. */
export const useChooseHeader = (id: string) =>
  useCsvChange(
    id,
    (row: number) => call('PUT /api/csv/{id}/header', { path: { id }, body: { row } }),
    itself,
  )

export const useCheckCsv = (id: string) =>
  useCsvChange(
    id,
    (body: CsvCheckOptions) => call('POST /api/csv/{id}/check', { path: { id }, body }),
    itself,
  )

/** Results so far are dropped; the columns can be changed again. */
export const useStopCheck = (id: string) =>
  useCsvChange(id, (_: void) => call('POST /api/csv/{id}/stop', { path: { id } }), itself)

export async function saveErrorRows({
  id,
  filename,
}: Pick<CsvUpload, 'id' | 'filename'>): Promise<void> {
  saveBytes(
    await callForBytes(`/api/csv/${id}/errors.csv`),
    t('errors in {filename}', { filename }),
  )
}

export type CsvStart = Schemas['CsvStart']

export const useStartCsv = (id: string) =>
  useChangeOf([keyOfCsv(id), ['operations']], (body: CsvStart) =>
    call('POST /api/csv/{id}/start', { path: { id }, body }),
  )

const MAPPINGS = keyOf('GET /api/csv/mappings')

export const useCsvMappings = () => useRead('GET /api/csv/mappings')

export const useSaveCsvMapping = () =>
  useChangeOf(
    [MAPPINGS],
    (body: { name: string; headers: readonly string[]; mapping: CsvColumns }) =>
      call('POST /api/csv/mappings', { body }),
  )

export const useDeleteCsvMapping = () =>
  useChangeOf([MAPPINGS], (id: string) => call('DELETE /api/csv/mappings/{id}', { path: { id } }))
