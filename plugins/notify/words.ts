// What an operation's end is called, and what to do next. An action that is not listed gets words that are right for any.
import type { OperationView } from '../contract.ts'

/** What has become of the files that are done, after “1,200 of 1,204 files”. */
const DONE: Readonly<Record<string, string>> = {
  import: 'imported',
  'update-settings': 'changed',
  'tag-files': 'changed',
  'tag-by-rule': 'changed',
  'replace-tag': 'changed',
  'merge-tag-case': 'changed',
  'update-from-csv': 'changed',
  'rename-files': 'renamed',
  'delete-files': 'moved to the trash',
  'restore-files': 'restored',
  'purge-files': 'deleted for good',
  'map-products': 'looked at',
  'unmap-products': 'unmapped',
  'move-to-pack': 'moved',
  'change-storage': 'moved',
  'export-files': 'exported',
  'create-links': 'given links',
  'optimize-image': 'optimized',
  'optimize-pdf': 'optimized',
  'watermark-pdf': 'watermarked',
  'split-pdf': 'split',
  'merge-pdf': 'merged',
  'back-up-files': 'backed up',
  undo: 'put back',
}
const DONE_OTHERWISE = 'done'

const ENDS = { success: 'complete', partial: 'partly complete', failed: 'failed', cancelled: 'cancelled' } as const

const number = new Intl.NumberFormat('en-US')
const files = (count: number) => `${number.format(count)} ${count === 1 ? 'file' : 'files'}`

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB']
const STEP = 1024

/** 12,345,678 → `12 MB`: as the page writes it (test/sizes.test.ts holds them together). */
export function sizeText(size: number): string {
  let [value, unit] = [size, 0]
  while (Math.round(value) >= STEP && unit < UNITS.length - 1) {
    value /= STEP
    unit++
  }
  const digits = unit > 0 && value < 10 ? 1 : 0
  const figure = new Intl.NumberFormat('en-US', { maximumFractionDigits: digits }).format(value)
  return `${figure} ${size === 1 ? 'byte' : UNITS[unit]}`
}

/** `Tag files partly complete`. An import is one whatever its workflow is called. */
export const titleOf = ({ action, title, status }: OperationView): string =>
  `${action === 'import' ? 'Import' : title} ${ENDS[status]}`

const doneWords = (action: string): string => DONE[action] ?? DONE_OTHERWISE

/** `1,200 of 1,204 files changed, 4 failed.` */
export function headlineOf(operation: OperationView, unmapped: number): string {
  const { action, total, done, failed, skipped, cancelled, bytes_saved } = operation
  const parts = [`${number.format(done)} of ${files(total)} ${doneWords(action)}`]
  if (failed > 0) parts.push(`${number.format(failed)} failed`)
  if (skipped > 0) parts.push(`${number.format(skipped)} skipped`)
  if (cancelled > 0) parts.push(`${number.format(cancelled)} not worked on`)
  if (unmapped > 0) parts.push(`${number.format(unmapped)} not mapped to a product`)
  if (bytes_saved > 0) parts.push(`${sizeText(bytes_saved)} saved`)
  return `${parts.join(', ')}.`
}

/** So many names fit into a notice. */
const NAMED = 3

/** `Not mapped: a.pdf, b.pdf, c.pdf and 12 more.` */
export function namesOf(what: string, names: readonly string[], count: number): string {
  const more = count - Math.min(NAMED, names.length)
  return `${what}: ${names.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${number.format(more)} more` : ''}.`
}

/** Labelled counts for a table; the first and the last always, the others where there are any. */
export function countsOf({ action, total, done, failed, skipped, cancelled }: OperationView) {
  const words = doneWords(action)
  return [
    { label: words.charAt(0).toUpperCase() + words.slice(1), count: done },
    { label: 'Failed', count: failed },
    { label: 'Skipped', count: skipped },
    { label: 'Not worked on', count: cancelled },
    { label: 'Total', count: total },
  ].filter(({ label, count }, at) => at === 0 || label === 'Total' || count > 0)
}

const AFTER_ERROR: Readonly<Record<string, string>> = {
  url_not_accessible:
    'Open the URLs that were not accessible in a private browser window, correct them, and import those files again.',
  duplicate_filename:
    'Rename the files whose names are taken, or choose what a taken name means, and import them again.',
  file_too_large: 'Split the files that are too large, or contact support.',
  empty_file: 'Replace the files that are empty.',
  file_in_use: 'Choose Retry Failed once the other operation on those files has ended.',
  permission_denied: 'Correct the access that was refused, then choose Retry Failed.',
  image_damaged: 'Replace the images that are damaged: buyers may not be able to open them either.',
  not_an_image: 'Rename the files that are no images after what they are.',
  image_too_large: 'Make the images smaller, or leave them as they are: these are too large to be opened.',
  pdf_encrypted: 'Start it again for the documents that are encrypted, with their password.',
  pdf_damaged: 'Replace the documents that are damaged: buyers may not be able to open them either.',
  not_a_pdf: 'Rename the files that are no PDF documents after what they are.',
  pdf_page_out_of_range: 'Start it again with pages that the documents have.',
  glyph_missing: 'Start it again with other letters, or with a picture of the text: there is no font for these.',
  memory_limit: 'Replace the files that take too much memory, by smaller or simpler ones.',
  time_limit: 'Replace the files that take too long, by smaller or simpler ones.',
  processor_crashed: 'Replace the files that could not be opened: buyers may not be able to open them either.',
  upload_lost: 'Upload the files again whose bytes are gone.',
  file_not_found: 'Leave out the files that are gone, or restore them from the trash and choose Retry Failed.',
  workflow_broken: 'Correct the workflow, then start it again.',
  storage_full: 'Make room in the storage location, then choose Retry Failed.',
  storage_failed: 'Choose Retry Failed: the storage location may answer by now.',
  storefront_unavailable: 'Choose Retry Failed: the storefront may answer by now.',
}
const AFTER_OTHER_ERROR = 'Open the operation, see why each file failed, and choose Retry Failed.'

export interface Remains {
  /** The codes of what failed and of what was warned about. */
  errors: ReadonlySet<string>
  warnings: ReadonlySet<string>
  unmapped: number
}

/** A sentence each, never none. */
export function nextSteps({ action, status, done, failed }: OperationView, remains: Remains): string[] {
  const steps = new Set<string>()
  if (failed > 0) for (const code of remains.errors) steps.add(AFTER_ERROR[code] ?? AFTER_OTHER_ERROR)
  if (remains.warnings.has('sku_not_found'))
    steps.add('Correct the SKUs that the storefront does not have, or map those files by hand.')
  else if (remains.unmapped > 0)
    steps.add('Map the files that have no product, or leave them: their links work without one.')
  if (status === 'cancelled') steps.add('What was done before it was cancelled stays as it is.')
  if (action === 'delete-files' && done > 0) steps.add('Files in the trash can be restored for 7 days.')
  return steps.size > 0 ? [...steps] : ['Nothing is left to do.']
}
