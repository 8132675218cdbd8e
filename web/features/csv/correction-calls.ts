// Corrections of a CSV file: its problems by cause, its rows, edits, and fixes of whole groups.
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { type CsvField, type CsvUpload } from './calls.ts'
import { call, callForBytes } from '../../shell/client/client.ts'
import { keyOf, useRead, useReadPages } from '../../shell/client/reads.ts'
import { saveBytes } from '../../shell/client/save.ts'
import { type Schemas } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'
import { showAnswer } from '../../shell/client/show-answer.ts'

export type ProblemGroup = Schemas['CsvProblemGroup']
export type CsvRow = Schemas['CsvRow']
export type FixRequest = Schemas['CsvFix']
export type Fix = FixRequest['fix']
type RowChange = Schemas['CsvRowChanges']['rows'][number]

const ROWS_SHOWN = 50

const keyOfFile = (id: string) => keyOf('GET /api/csv/{id}', { path: { id } })

export const useProblemGroups = (id: string) =>
  useRead('GET /api/csv/{id}/problem-groups', { path: { id }, keep: true })

/** The rows of a group of problems, or the rows that are left out. */
export const useCsvRows = (id: string, which: { group: string } | { only: 'left_out' }) =>
  useReadPages('GET /api/csv/{id}/rows', { path: { id }, query: { ...which, limit: ROWS_SHOWN } })

/** The problems and rows of the file are read again: a check of corrected rows has ended. */
export function useReadProblemsAgain(id: string) {
  const client = useQueryClient()
  return () =>
    Promise.all(
      ['problem-groups', 'rows'].map((part) =>
        client.invalidateQueries({ queryKey: [...keyOfFile(id), part] }),
      ),
    )
}

function useCorrection<Input, Output>(
  id: string,
  send: (input: Input) => Promise<Output>,
  fileOf: (output: Output) => CsvUpload,
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: send,
    onSuccess: (output) => showAnswer(client, keyOfFile(id), fileOf(output)),
    // It may have been started in another tab.
    onError: () => void client.invalidateQueries({ queryKey: keyOfFile(id), exact: true }),
  })
}

interface RowPages {
  pages: { data: CsvRow[] }[]
}

/** Changes rows; the changed ones are shown immediately. */
export function useChangeRows(id: string) {
  const client = useQueryClient()
  return useCorrection(
    id,
    async (rows: RowChange[]) => {
      const answer = await call('PATCH /api/csv/{id}/rows', { path: { id }, body: { rows } })
      showRows(client, id, answer.rows)
      return answer
    },
    ({ file }) => file,
  )
}

function showRows(client: QueryClient, id: string, rows: readonly CsvRow[]): void {
  const changed = new Map(rows.map((row) => [row.row, row]))
  const queryKey = [...keyOfFile(id), 'rows']
  // A read that began before the change would show the rows without it.
  void client.cancelQueries({ queryKey, predicate: ({ state }) => state.data !== undefined })
  client.setQueriesData<RowPages>(
    { queryKey },
    (now) =>
      now && {
        ...now,
        pages: now.pages.map((page) => ({
          ...page,
          data: page.data.map((row) => changed.get(row.row) ?? row),
        })),
      },
  )
}

export const useFixGroup = (id: string) =>
  useCorrection(
    id,
    (body: FixRequest) => call('POST /api/csv/{id}/fixes', { path: { id }, body }),
    ({ file }) => file,
  )

export const useUndoCorrection = (id: string) =>
  useCorrection(
    id,
    (_: void) => call('POST /api/csv/{id}/undo', { path: { id } }),
    (file) => file,
  )

/** Requests again what failed. */
export const useRecheck = (id: string) =>
  useCorrection(
    id,
    (_: void) => call('POST /api/csv/{id}/recheck', { path: { id } }),
    (file) => file,
  )

export async function saveCorrected({
  id,
  filename,
}: Pick<CsvUpload, 'id' | 'filename'>): Promise<void> {
  const name = filename.replace(/\.[a-z]{1,5}$/i, '')
  saveBytes(await callForBytes(`/api/csv/${id}/corrected.csv`), t('{name} corrected.csv', { name }))
}

/** The fields that have a column, those of the problem first. */
export const shownFields = (
  { mapping }: Pick<CsvUpload, 'mapping'>,
  fields: readonly CsvField[],
  first: CsvField | null,
): CsvField[] => [
  ...fields.filter((field) => field === first && mapping[field] !== null),
  ...fields.filter((field) => field !== first && mapping[field] !== null),
]
