// What was just started, in one line that moves with it: `Deleting 12 files`, then `12 files moved to the trash`.
import { type Operation } from '../client/types.ts'
import { operationTitle } from './operation.ts'
import { countText, numberText } from './size.ts'

/** While it runs, and when it is done; `#` stands for the files. */
const VERBS: Record<string, [doing: string, done: string]> = {
  'delete-files': ['Deleting #', '# moved to the trash'],
  'restore-files': ['Restoring #', '# restored'],
  'purge-files': ['Deleting # permanently', '# deleted permanently'],
  'tag-files': ['Changing the tags of #', 'Tags of # changed'],
  'update-settings': ['Updating the settings of #', 'Settings of # updated'],
  'replace-tag': ['Replacing a tag in #', '# done'],
  'merge-tag-case': ['Merging the tags of #', '# done'],
  'map-products': ['Mapping #', '# done'],
  'unmap-products': ['Taking # off their products', '# taken off their products'],
  'rename-files': ['Renaming #', '# done'],
  'move-to-pack': ['Moving #', '# moved'],
  'change-storage': ['Moving # to other storage', '# stored there'],
  'create-links': ['Creating links to #', 'Links to # created'],
  'export-files': ['Exporting #', '# exported'],
  'optimize-image': ['Optimizing images in #', '# done'],
  'optimize-pdf': ['Optimizing PDFs in #', '# done'],
  'watermark-pdf': ['Adding a watermark to #', 'Watermark added to #'],
  'split-pdf': ['Splitting #', '# split'],
  'merge-pdf': ['Merging #', '# merged'],
}

export function toastText(operation: Operation): string {
  const { status, action, total, done, failed, skipped, undoes } = operation
  const title = operationTitle(operation)
  const [doing, past] = undoes
    ? ['Undoing it for #', '# set back']
    : (VERBS[action] ?? [`${title}: #`, `${title}: # done`])
  const of = (text: string, count: number) => text.replace('#', countText(count, 'file', 'files'))
  if (status === 'undone' || status === 'cancelled' || status === 'paused') return title
  if (status === 'queued' || status === 'running') return of(doing, total)
  const rest = [failed > 0 && `${numberText(failed)} failed`, skipped > 0 && `${numberText(skipped)} skipped`]
  return [of(past, done), ...rest.filter((part) => part !== false)].join(', ')
}
