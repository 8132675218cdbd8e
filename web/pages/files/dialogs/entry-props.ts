// What every dialog of a plugin's action gets.
import { type Entry } from '../../../client/plugins.ts'
import type { BulkProps } from './bulk-dialog.tsx'

export type EntryProps = BulkProps & { entry: Entry }
