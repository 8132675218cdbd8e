// What a widget may need in addition to its own option: the form's other options, and in a dialog
// the selected files.
import { createContext, useContext } from 'react'
import { type File } from '../../../shell/client/types.ts'

export interface FormScope {
  values: Readonly<Record<string, unknown>>
  /** Changes several options together. */
  change: (part: Readonly<Record<string, unknown>>) => void
  /** A dialog about files has more space than a row of a list. */
  dialog?: {
    files: readonly File[]
    /** Does `files` contain all selected files? */
    known: boolean
    /** Stores the name of the picked value for texts of the dialog: `product_id_text`. */
    name: (option: string, text: string) => void
  }
}

export const ScopeContext = createContext<FormScope | null>(null)

export function useScope(): FormScope {
  const scope = useContext(ScopeContext)
  if (!scope) throw new Error('A widget is drawn inside a form alone')
  return scope
}
