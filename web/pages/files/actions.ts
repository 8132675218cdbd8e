// What can be done with the ticked files: how each action is called, where it stands in the menu, and whom it does not fit.
import { type File } from '../../client/types.ts'
import { isImage, isPdf } from '../../labels/file.ts'
import { numberText } from '../../labels/size.ts'
import { type Chosen } from './selection.ts'

export interface Action {
  id: ActionId
  title: string
  /** The plugin that does it; null: it needs none of its own. */
  plugin: string | null
  destructive?: boolean
  /** Why it does not fit what is chosen; null: it does. */
  unfit?: (chosen: Chosen) => string | null
}

export type ActionId = keyof typeof TITLES

const TITLES = {
  tags: ['Change tags', 'tag-files'],
  settings: ['Change settings', 'update-settings'],
  workflow: ['Run workflow', null],
  delete: ['Delete', 'delete-files'],
  'find-tag': ['Find and replace a tag', 'replace-tag'],
  'tag-case': ['Merge tags that differ in capitals', 'merge-tag-case'],
  'tag-rules': ['Tag by rule', 'tag-by-rule'],
  'auto-map': ['Map to products automatically', 'map-products'],
  map: ['Map to one product', 'map-products'],
  unmap: ['Remove product mappings', 'unmap-products'],
  links: ['Create download links', 'create-links'],
  export: ['Export', 'export-files'],
  rename: ['Rename', 'rename-files'],
  pack: ['Move to a pack', 'move-to-pack'],
  storage: ['Change storage', 'change-storage'],
  images: ['Optimize images', 'optimize-image'],
  pdf: ['Optimize PDFs', 'optimize-pdf'],
  watermark: ['Add a watermark to PDFs', 'watermark-pdf'],
  split: ['Split PDFs', 'split-pdf'],
  merge: ['Merge PDFs', 'merge-pdf'],
  'delete-by-filter': ['Delete by conditions', 'delete-files'],
  restore: ['Restore', 'restore-files'],
  purge: ['Delete permanently', 'purge-files'],
} as const

const UNFIT: Partial<Record<ActionId, NonNullable<Action['unfit']>>> = {
  images: (chosen) => lacks(chosen, isImage, 'No image is selected'),
  pdf: (chosen) => lacks(chosen, isPdf, 'No PDF is selected'),
  watermark: (chosen) => lacks(chosen, isPdf, 'No PDF is selected'),
  split: (chosen) => lacks(chosen, isPdf, 'No PDF is selected'),
  merge: unfitForMerge,
  unmap: (chosen) => lacks(chosen, ({ mappings }) => mappings.length > 0, 'None of them is mapped to a product'),
  'find-tag': (chosen) => lacks(chosen, hasTags, 'None of them has a tag'),
  'tag-case': (chosen) =>
    lacks(chosen, ({ tags }) => tags.some((tag) => tag !== tag.toLowerCase()), 'None of their tags has capitals'),
}
const DESTRUCTIVE: readonly ActionId[] = ['delete', 'purge']

const actionsOf = (...ids: ActionId[]): Action[] =>
  ids.map((id) => {
    const [title, plugin] = TITLES[id]
    return { id, title, plugin, destructive: DESTRUCTIVE.includes(id), unfit: UNFIT[id] }
  })

export interface ActionMenu {
  /** Those that are wanted most. */
  foremost: readonly Action[]
  groups: readonly { title: string; actions: readonly Action[] }[]
}

/** What is done with the list as a whole. */
export const LIST_ACTIONS = actionsOf('export', 'delete-by-filter')

export const FILES_MENU: ActionMenu = {
  foremost: actionsOf('tags', 'settings', 'workflow', 'delete'),
  groups: [
    { title: 'Products', actions: actionsOf('auto-map', 'map', 'unmap') },
    { title: 'Links and lists', actions: actionsOf('links', 'export') },
    { title: 'Names and places', actions: actionsOf('rename', 'pack', 'storage') },
    { title: 'Images and PDFs', actions: actionsOf('images', 'pdf', 'watermark', 'split', 'merge') },
    { title: 'Tags', actions: actionsOf('find-tag', 'tag-case', 'tag-rules') },
  ],
}

export const TRASH_MENU: ActionMenu = { foremost: actionsOf('restore', 'purge'), groups: [] }

/** An installation has the plugins that it was set up with. */
export const offeredBy =
  (plugins: readonly { id: string }[]) =>
  ({ plugin }: Action): boolean =>
    plugin === null || plugins.some(({ id }) => id === plugin)

export const isInstalled = (id: ActionId, plugins: readonly { id: string }[]): boolean =>
  actionsOf(id).every(offeredBy(plugins))

/** Of files that are not all known here nothing can be said. */
const lacks = ({ files, known }: Chosen, fits: (file: File) => boolean, reason: string): string | null =>
  known && !files.some(fits) ? reason : null

const hasTags = ({ tags }: File) => tags.length > 0

const MOST_TO_MERGE = 500

function unfitForMerge({ files, known, count }: Chosen): string | null {
  if (!known || count > MOST_TO_MERGE)
    return `Tick the PDFs one by one, up to ${numberText(MOST_TO_MERGE)}: you choose their order`
  if (files.filter(isPdf).length < 2) return 'Select at least two PDFs'
  return files.every(isPdf) ? null : `Select PDFs alone: ${otherThanPdf(files)} is none`
}

const otherThanPdf = (files: readonly File[]) => files.find((file) => !isPdf(file))?.filename ?? ''
