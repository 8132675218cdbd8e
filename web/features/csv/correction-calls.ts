// Corrections of a CSV file: its problems by cause, its rows, edits, and fixes of whole groups.
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { type CsvField, type CsvUpload, itself, keyOfCsv, useCsvChange } from './calls.ts'
import { call, callForBytes } from '../../shell/client/client.ts'
import { useRead, useReadPages } from '../../shell/client/reads.ts'
import { saveBytes } from '../../shell/client/save.ts'
import { type Schemas } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'

export type ProblemGroup = Schemas['CsvProblemGroup']
export type CsvRow = Schemas['CsvRow']
export type FixRequest = Schemas['CsvFix']
export type Fix = FixRequest['fix']
type RowChange = Schemas['CsvRowChanges']['rows'][number]

const ROWS_SHOWN = 50

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
        client.invalidateQueries({ queryKey: [...keyOfCsv(id), part] }),
      ),
    )
}

interface RowPages {
  pages: { data: CsvRow[] }[]
}

/** Changes rows; the changed ones are shown immediately. */
export function useChangeRows(id: string) {
  const client = useQueryClient()
  return useCsvChange(
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
  const queryKey = [...keyOfCsv(id), 'rows']
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
  useCsvChange(
    id,
    (body: FixRequest) => call('POST /api/csv/{id}/fixes', { path: { id }, body }),
    ({ file }) => file,
  )

export const useUndoCorrection = (id: string) =>
  useCsvChange(id, (_: void) => call('POST /api/csv/{id}/undo', { path: { id } }), itself)

/** Requests again what failed. */
export const useRecheck = (id: string) =>
  useCsvChange(id, (_: void) => call('POST /api/csv/{id}/recheck', { path: { id } }), itself)

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
