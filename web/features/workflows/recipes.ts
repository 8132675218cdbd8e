// Workflows to begin with: each opens in the editor, complete, to be tried on files and changed.
import { type Condition, type Trigger } from '../../shell/client/workflows.ts'
import { t } from '../../shell/messages/t.ts'
import { emptyDraft, newStep, newTrigger, type WorkflowDraft } from './draft.ts'

export interface Recipe {
  id: string
  name: string
  /** What a file is like before and after a run, in a few words. */
  before: string
  after: string
  kind: WorkflowDraft['kind']
  /** What starts it; absent: a person. */
  when?: Pick<Trigger, 'kind'> & Partial<Pick<Trigger, 'event' | 'which'>>
  steps: readonly RecipeStep[]
  /** The option that the merchant still has to choose: `steps[0].options.webhook`. */
  open?: string
}

interface RecipeStep {
  plugin: string
  options?: Record<string, unknown>
  when?: Condition
}

const MARKED = t('marked')
const ARCHIVE = t('archive')
const SUPPLIER = t('supplier')
const WITHOUT_PRODUCT = t('without product')
const LABELLED = t('labelled')
const UNMARKED: Condition = { type: ['pdf'], tags_none: [MARKED] }

const IMPORTED: NonNullable<Recipe['when']> = { kind: 'event', event: 'file.imported' }
/** The first day of the month after the next one: a date that is not over. */
const SOME_DAY = (() => {
  const now = new Date()
  return new Date(Date.UTC(now.getFullYear(), now.getMonth() + 2, 1)).toISOString().slice(0, 10)
})()

export const RECIPES: readonly Recipe[] = [
  {
    id: 'mark-and-attach',
    name: t('Mark PDFs and attach them to products'),
    before: t('PDF files without a mark'),
    after: t('Marked once, with the product that their names or titles fit'),
    kind: 'bulk',
    when: IMPORTED,
    steps: [
      { plugin: 'watermark-pdf', options: { text: t('Preview') }, when: UNMARKED },
      { plugin: 'tag-files', options: { mode: 'add', tags: [MARKED] }, when: UNMARKED },
      { plugin: 'map-products', options: { match_by: ['filename', 'title'] } },
    ],
  },
  {
    id: 'supplier-with-approval',
    name: t('Supplier with approval'),
    before: t('Files that a supplier sent'),
    after: t('Attached to products once you have approved it'),
    kind: 'bulk',
    when: IMPORTED,
    steps: [
      { plugin: 'tag-files', options: { mode: 'add', tags: [SUPPLIER] } },
      { plugin: 'ask', options: { within: 3, unit: 'days', no_answer: 'remind' } },
      { plugin: 'map-products', options: { match_by: ['filename', 'title'] } },
    ],
  },
  {
    id: 'reduce-images',
    name: t('Reduce large images'),
    before: t('Images above 1 MB'),
    after: t('WebP with at most 2000 pixels; the original stays as a version'),
    kind: 'bulk',
    steps: [
      {
        plugin: 'optimize-image',
        options: { max_px: 2000, format: 'webp', preserve_original: true },
        when: { type: ['image'], larger_than: 1_000_000 },
      },
    ],
  },
  {
    id: 'fast-documents',
    name: t('Make PDFs load faster'),
    before: t('PDF files above 5 MB'),
    after: t('Smaller images, and the first page shown while the rest loads'),
    kind: 'bulk',
    steps: [
      {
        plugin: 'optimize-pdf',
        options: { linearize: true, preserve_original: true },
        when: { type: ['pdf'], larger_than: 5_000_000 },
      },
    ],
  },
  {
    id: 'names-of-products',
    name: t('Name files after their products'),
    before: 'scan_0042.pdf',
    after: 'The Tide Tables of Memory.pdf',
    kind: 'bulk',
    steps: [
      {
        plugin: 'rename-files',
        options: { mode: 'pattern', pattern: '{product_name}', missing: 'skip' },
        when: { mapped: true },
      },
    ],
  },
  {
    id: 'new-version',
    name: t('Tell buyers about a new version'),
    before: t('A file that was sold got a new version'),
    after: t('Everyone who paid for it gets an email with the link'),
    kind: 'bulk',
    when: { kind: 'event', event: 'file.replaced', which: { delivered: true } },
    steps: [{ plugin: 'tell-buyers', when: { delivered: true, version_above: 1 } }],
  },
  {
    id: 'label-by-a-program',
    name: t('Label by a program'),
    before: t('Files that a program of yours has not seen'),
    after: t('With the tags, names and products that it answers; seen once'),
    kind: 'bulk',
    steps: [
      { plugin: 'call', options: { bytes: true }, when: { tags_none: [LABELLED] } },
      {
        plugin: 'tag-files',
        options: { mode: 'add', tags: [LABELLED] },
        when: { tags_none: [LABELLED] },
      },
    ],
    open: 'steps[0].options.webhook',
  },
  {
    id: 'archive',
    name: t('Archive what nobody downloads'),
    before: t('Not downloaded for a year'),
    after: t('Tagged, and moved to the backup storage; links keep working'),
    kind: 'bulk',
    steps: [
      {
        plugin: 'tag-files',
        options: { mode: 'add', tags: [ARCHIVE] },
        when: { not_downloaded_for_days: 365, older_than_days: 365 },
      },
      {
        plugin: 'change-storage',
        options: { location: 'backup' },
        when: { tags: [ARCHIVE] },
      },
    ],
  },
  {
    id: 'clean-up',
    name: t('Clean up what was never attached'),
    before: t('Without a product and a link, older than 30 days'),
    after: t('Backed up and in the trash, from which you can restore them'),
    kind: 'bulk',
    steps: [
      {
        plugin: 'delete-files',
        options: { backup_first: true },
        when: { mapped: false, linked: false, older_than_days: 30 },
      },
    ],
  },
  {
    id: 'without-product',
    name: t('Remind me of files without a product'),
    before: t('Imported, and without a product two days later'),
    after: t('Tagged, with a notice; the others stay as they are'),
    kind: 'bulk',
    when: { ...IMPORTED, which: { mapped: false } },
    steps: [
      { plugin: 'wait', options: { for: 2, unit: 'days' } },
      {
        plugin: 'tag-files',
        options: { mode: 'add', tags: [WITHOUT_PRODUCT] },
        when: { mapped: false },
      },
      { plugin: 'notify' },
    ],
  },
  {
    id: 'zip-into-pack',
    name: t('Put ZIP files into a pack'),
    before: t('ZIP files that arrive'),
    after: t('In one pack, with the products of the pack'),
    kind: 'bulk',
    when: { ...IMPORTED, which: { type: ['zip'], pack_none: true } },
    steps: [
      {
        plugin: 'move-to-pack',
        options: { new_pack: t('Archives') },
        when: { type: ['zip'], pack_none: true },
      },
    ],
  },
  {
    id: 'release-on-a-date',
    name: t('Release files on a date'),
    before: t('Files that nobody may download yet'),
    after: t('Sold now, and available to their buyers from a day that you choose'),
    kind: 'bulk',
    steps: [{ plugin: 'update-settings', options: { available_from: SOME_DAY } }],
  },
  {
    id: 'stamp',
    name: t('Stamp each PDF with its buyer'),
    before: t('One document for all buyers'),
    after: t('Each buyer’s copy shows the order number and email address'),
    kind: 'delivery',
    when: { kind: 'orders' },
    steps: [
      { plugin: 'stamp-pdf', options: { show: ['order', 'email'] }, when: { type: ['pdf'] } },
    ],
  },
]

/** What the editor begins with; null: there is no such recipe. */
export function draftOfRecipe(id: string | null): WorkflowDraft | null {
  const recipe = RECIPES.find((one) => one.id === id)
  if (!recipe) return null
  return {
    ...emptyDraft(recipe.kind),
    name: recipe.name,
    when: recipe.when ? [{ ...newTrigger(recipe.when.kind), ...recipe.when }] : [],
    steps: recipe.steps.map(({ plugin, options = {}, when = null }) => ({
      ...newStep(plugin),
      options,
      when,
    })),
  }
}
