// CSV files on their way in: sent, their columns assigned, checked row by row, imported.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Conflict } from '../words/upload.ts'
import { call, callForBytes, type Query } from './client.ts'
import { CALM_MS, LIVE_MS, refused } from './queries.ts'
import { saveBytes } from './save.ts'
import { type Operation, type Page } from './types.ts'

export const CSV_FIELDS = [
  'filename',
  'file_url',
  'product_sku',
  'expiry_days',
  'download_limit',
  'tags',
  'id',
] as const
export type CsvField = (typeof CSV_FIELDS)[number]

/** Field → header of a column; null: none has it. */
export type CsvColumns = Record<CsvField, string | null>

export interface CsvCheckOptions {
  /** Ask every address whether it answers. */
  probe: boolean
  on_conflict: Conflict
}

export interface CsvCheck extends CsvCheckOptions {
  phase: 'waiting' | 'rows' | 'skus' | 'urls' | 'done'
  rows: number
  skus: number
  skus_total: number
  urls: number
  urls_total: number
  errors: number
  warnings: number
  /** Rows with an error; of those without, rows that bring a file, and rows that change one which is here. */
  error_rows: number
  import_rows: number
  update_rows: number
}

export interface CsvProblem {
  /** As a spreadsheet counts: the header is row 1. */
  row: number
  /** The header of the column; null: the row as a whole. */
  column: string | null
  severity: 'error' | 'warning'
  code: string
  message: string
  detail: string | null
  value: string | null
}

export interface CsvUpload {
  id: string
  filename: string
  status: 'ready' | 'checking' | 'checked' | 'started'
  size_bytes: number
  encoding: string
  delimiter: string
  rows: number
  headers: string[]
  mapping: CsvColumns
  /** The name of the saved mapping that applied by itself. */
  saved_mapping: string | null
  /** Required fields that no column has. */
  missing: CsvField[]
  /** The first rows that don't have the header's form. */
  problems: CsvProblem[]
  /** The first rows, read as the mapping says; null: no column has the field. */
  preview: { row: number; values: Record<CsvField, string | null>; problems: CsvProblem[] }[]
  check: CsvCheck | null
  /** Why the last check could not be ended. */
  failure: string | null
  /** The import, and the operation over rows that change files. */
  job_id: string | null
  update_job_id: string | null
  expires_at: string
}

/** A file that is kept, without its rows. */
export type KeptCsv = Pick<CsvUpload, 'id' | 'filename' | 'status' | 'rows' | 'expires_at'> & { created_at: string }

export interface SavedMapping {
  id: string
  name: string
  mapping: CsvColumns
  updated_at: string
}

const key = (id: string) => ['csv', id]

export const useCsv = (id: string) =>
  useQuery({
    queryKey: key(id),
    queryFn: ({ signal }) => call<CsvUpload>(`/api/csv/${id}`, { signal }),
    refetchInterval: ({ state }) => (!refused(state.error) && state.data?.status === 'checking' ? LIVE_MS : false),
  })

/** Files that are kept, newest first. */
export const useKeptCsvs = () =>
  useQuery({
    queryKey: ['csv-files'],
    queryFn: ({ signal }) => call<Page<KeptCsv>>('/api/csv', { signal }),
    refetchInterval: ({ state }) =>
      !refused(state.error) && state.data?.data.some(({ status }) => status === 'checking') ? CALM_MS : false,
  })

/** Sends a file; the answer is what it is and what its columns seem to be. */
export function useSendCsv() {
  const client = useQueryClient()
  return useMutation<CsvUpload, Error, File>({
    mutationFn: (file) =>
      call('/api/csv', { method: 'POST', query: { filename: file.name }, body: file, type: 'text/csv' }),
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
  useChange<CsvColumns>(id, (mapping) => call(`/api/csv/${id}/columns`, { method: 'PUT', body: { mapping } }))

export const useCheckCsv = (id: string) =>
  useChange<CsvCheckOptions>(id, (options) => call(`/api/csv/${id}/check`, { method: 'POST', body: options }))

/** What was found so far is dropped; the columns can be changed again. */
export const useStopCheck = (id: string) => useChange<void>(id, () => call(`/api/csv/${id}/stop`, { method: 'POST' }))

export const useCsvProblems = (id: string, query: Query, enabled: boolean) =>
  useQuery({
    queryKey: ['csv-problems', id, query],
    queryFn: ({ signal }) => call<Page<CsvProblem>>(`/api/csv/${id}/problems`, { query, signal }),
    placeholderData: keepPreviousData,
    enabled,
  })

export async function saveErrorRows({ id, filename }: Pick<CsvUpload, 'id' | 'filename'>): Promise<void> {
  saveBytes(await callForBytes(`/api/csv/${id}/errors.csv`), `errors in ${filename}`)
}

export interface CsvStart {
  only_valid: boolean
  /** Absent: as the shop has it. */
  auto_map?: boolean
  notify?: boolean
  on_conflict: Conflict
}

/** Of the import; of the changes, where there is nothing else. */
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
  return useMutation<SavedMapping, Error, { name: string; headers: readonly string[]; mapping: CsvColumns }>({
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
