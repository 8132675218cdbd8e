// The columns of the list of files: all, the standard ones, and those that this browser keeps.
import { useState } from 'react'
import { t } from '../../shell/messages/t.ts'
import { keepChoice, keptChoice } from './kept-choice.ts'
import { type SavedView } from '../../shell/views/view-calls.ts'

export type ListColumn = NonNullable<SavedView['columns']>[number]

/** The titles of the columns, from left to right, after the name. */
export const LIST_COLUMNS: Readonly<Record<ListColumn, string>> = {
  size: t('Size'),
  tags: t('Tags'),
  products: t('Products'),
  pack: t('Pack'),
  downloads: t('Downloads'),
  paid_by: t('Paid by'),
  uploaded: t('Uploaded'),
  visibility: t('Visibility'),
}
export const ALL_COLUMNS = Object.keys(LIST_COLUMNS) as ListColumn[]
export const STANDARD_COLUMNS: readonly ListColumn[] = [
  'size',
  'tags',
  'products',
  'downloads',
  'uploaded',
]

/** The named columns that exist, in the order of the list; null if nothing is named. */
export function readColumns(names: readonly string[]): ListColumn[] | null {
  // Without any column the list still has the name, which is written to say so.
  if (names.length === 0) return null
  return ALL_COLUMNS.filter((column) => names.includes(column))
}

/** The columns as the address has them: `name` is first, so that the list is never empty. */
export const writeColumns = (columns: readonly ListColumn[]): string[] => ['name', ...columns]

const kept = (): readonly ListColumn[] =>
  readColumns(keptChoice('columns').split(',').filter(Boolean)) ?? STANDARD_COLUMNS

/** The columns without a view, which this browser keeps. */
export function useKeptColumns(): [
  columns: readonly ListColumn[],
  keep: (columns: readonly ListColumn[]) => void,
] {
  const [columns, setColumns] = useState(kept)
  return [
    columns,
    (chosen) => {
      setColumns(chosen)
      keepChoice('columns', writeColumns(chosen).join(','))
    },
  ]
}
