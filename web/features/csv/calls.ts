// CSV imports: upload the file, assign its columns, check its rows, import.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, callForBytes, type Query } from '../../shell/client/client.ts'
import { CALM_MS, LIVE_MS, isRefusal } from '../../shell/client/queries.ts'
import { saveBytes } from '../../shell/client/save.ts'
import { type Operation, type Page, type Schemas } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'

export const CSV_FIELDS = [
  'filename',
  'file_url',
  'product_sku',
  'expiry_days',
  'download_limit',
  'tags',
  'id',
] as const
export type CsvUpload = Schemas['CsvFile']
export type CsvEncoding = Schemas['CsvEncoding']['encoding']
export type CsvField = keyof CsvUpload['mapping']

/** Field → header of a column; null: no column. */
export type CsvColumns = CsvUpload['mapping']

type CsvCheckOptions = Schemas['CsvCheck']

export type CsvCheck = NonNullable<CsvUpload['check']>

export type CsvProblem = Schemas['CsvProblem']

/** A stored file, without its rows. */
export type KeptCsv = Schemas['ListedCsvFile']

export type SavedMapping = Schemas['CsvColumnMapping']

const key = (id: string) => ['csv', id]

export const useCsv = (id: string) =>
  useQuery({
    queryKey: key(id),
    queryFn: ({ signal }) => call<CsvUpload>(`/api/csv/${id}`, { signal }),
    refetchInterval: ({ state }) =>
      !isRefusal(state.error) && state.data?.status === 'checking' ? LIVE_MS : false,
  })

/** Stored files, newest first. */
export const useKeptCsvs = () =>
  useQuery({
    queryKey: ['csv-files'],
    queryFn: ({ signal }) => call<Page<KeptCsv>>('/api/csv', { signal }),
    refetchInterval: ({ state }) =>
      !isRefusal(state.error) && state.data?.data.some(({ status }) => status === 'checking')
        ? CALM_MS
        : false,
  })

/** Sends a file; the answer contains the suggested columns. */
export function useSendCsv() {
  const client = useQueryClient()
  return useMutation<CsvUpload, Error, File>({
    mutationFn: (file) =>
      call('/api/csv', {
        method: 'POST',
        query: { filename: file.name },
        body: file,
        type: 'text/csv',
      }),
    onSuccess: (upload) => client.setQueryData(key(upload.id), upload),
  })
}

function useChange<Input>(id: string, send: (input: Input) => Promise<CsvUpload>) {
  const client = useQueryClient()
  return useMutation<CsvUpload, Error, Input>({
    mutationFn: send,
    onSuccess: (upload) => client.setQueryData(key(id), upload),
  })
}

export const useSetColumns = (id: string) =>
  useChange<CsvColumns>(id, (mapping) =>
    call(`/api/csv/${id}/columns`, { method: 'PUT', body: { mapping } }),
  )

/** The file is read again; columns are suggested again. */
export const useChooseEncoding = (id: string) =>
  useChange<CsvEncoding>(id, (encoding) =>
    call(`/api/csv/${id}/encoding`, { method: 'PUT', body: { encoding } }),
  )

/** Of a workbook. */
export const useChooseSheet = (id: string) =>
  useChange<string>(id, (sheet) => call(`/api/csv/${id}/sheet`, { method: 'PUT', body: { sheet } }))

/** The row of the header; 0: there is none. */
export const useChooseHeader = (id: string) =>
  useChange<number>(id, (row) => call(`/api/csv/${id}/header`, { method: 'PUT', body: { row } }))

export const useCheckCsv = (id: string) =>
  useChange<CsvCheckOptions>(id, (options) =>
    call(`/api/csv/${id}/check`, { method: 'POST', body: options }),
  )

/** Results so far are dropped; the columns can be changed again. */
export const useStopCheck = (id: string) =>
  useChange<void>(id, () => call(`/api/csv/${id}/stop`, { method: 'POST' }))

export const useCsvProblems = (id: string, query: Query, enabled: boolean) =>
  useQuery({
    queryKey: ['csv-problems', id, query],
    queryFn: ({ signal }) => call<Page<CsvProblem>>(`/api/csv/${id}/problems`, { query, signal }),
    placeholderData: keepPreviousData,
    enabled,
  })

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

/** The import, or the changes of existing files if nothing is imported. */
export interface CsvStarted extends Operation {
  job_id: string | null
  update_job_id: string | null
}

export function useStartCsv(id: string) {
  const client = useQueryClient()
  return useMutation<CsvStarted, Error, CsvStart>({
    mutationFn: (body) => call(`/api/csv/${id}/start`, { method: 'POST', body }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: key(id) }),
        client.invalidateQueries({ queryKey: ['operations'] }),
      ]),
  })
}

const MAPPINGS = ['csv-mappings']

export const useCsvMappings = () =>
  useQuery({
    queryKey: MAPPINGS,
    queryFn: ({ signal }) => call<Page<SavedMapping>>('/api/csv/mappings', { signal }),
  })

export function useSaveCsvMapping() {
  const client = useQueryClient()
  return useMutation<
    SavedMapping,
    Error,
    { name: string; headers: readonly string[]; mapping: CsvColumns }
  >({
    mutationFn: (body) => call('/api/csv/mappings', { method: 'POST', body }),
    onSuccess: () => client.invalidateQueries({ queryKey: MAPPINGS }),
  })
}

export function useDeleteCsvMapping() {
  const client = useQueryClient()
  return useMutation<void, Error, string>({
    mutationFn: (id) => call(`/api/csv/mappings/${id}`, { method: 'DELETE' }),
    onSuccess: () => client.invalidateQueries({ queryKey: MAPPINGS }),
  })
}
