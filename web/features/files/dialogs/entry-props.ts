// What every dialog of a plugin's action gets.
import { type Entry } from '../../../shell/client/plugins.ts'
import type { BulkProps } from './bulk-dialog.tsx'

export type EntryProps = BulkProps & { entry: Entry }
