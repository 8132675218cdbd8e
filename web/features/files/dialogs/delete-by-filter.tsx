// Deletes all files that match the criteria. A preview is required.
import { useFilesImpact } from '../../../shell/client/queries.ts'
import type { FileFilter } from '../../../shell/client/types.ts'
import { TagWords } from '../../../shell/files/filter-fields.tsx'
import { SizeField, type SizeValue } from '../../../shell/components/size-field.tsx'
import { useDebounced } from '../../../shell/url-state/use-debounced.ts'
import { Checkbox, Text, TextField, Banner, ChoiceList } from '../../../shell/ui/index.ts'
import { paidText, trashText, impactText, mappedText } from '../../../shell/files/impact-labels.ts'
import { t } from '../../../shell/messages/t.ts'
import { type Entry, findByWidget, usePlugins } from '../../../shell/client/plugins.ts'
import type { ActionFiles } from '../selection.ts'
import { textsOf } from './action-texts.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import {
  type Deletion,
  onlyUnmaps,
  PLAIN_DELETION,
  workOf,
  type DeletionPlugins,
} from './deletion.ts'
import type { EntryProps } from './entry-props.ts'
import { FormError } from './form-error.tsx'
import { type Errors, useForm } from './use-form.ts'

interface CriteriaForm extends Deletion {
  uploaded_before: string
  unmapped: boolean
  larger_than: SizeValue
  tags: string[]
}

const INITIAL: CriteriaForm = {
  ...PLAIN_DELETION,
  uploaded_before: '',
  unmapped: false,
  larger_than: undefined,
  tags: [],
}

/**
 * The criteria, or the problems of the fields. Without any criterion it would be every file: at
 * least one is required.
 */
function criteriaOf({
  uploaded_before,
  unmapped,
  larger_than,
  tags,
}: CriteriaForm): FileFilter | { errors: Errors } {
  if (typeof larger_than === 'string') return { errors: { larger_than: t('Enter a size in MB') } }
  const filter: FileFilter = {
    ...(uploaded_before === '' ? {} : { uploaded_before }),
    ...(unmapped ? { mapped: false } : {}),
    ...(larger_than === undefined ? {} : { larger_than }),
    ...(tags.length === 0 ? {} : { tags }),
  }
  return Object.keys(filter).length === 0
    ? { errors: { form: t('Set at least one condition') } }
    : filter
}

/** The files that meet the criteria now. `filter`: null if the criteria are not complete. */
function useFound(form: CriteriaForm) {
  const criteria = criteriaOf(form)
  const filter = 'errors' in criteria ? null : criteria
  const debounced = useDebounced(filter)
  const found = useFilesImpact(filter && debounced && { filter: debounced })
  // Files that cannot be counted may be mapped.
  const mapped = found.data ? found.data.mapped : found.error ? null : 0
  const isCounted =
    found.data !== undefined &&
    !found.isPlaceholderData &&
    JSON.stringify(filter) === JSON.stringify(debounced)
  return {
    filter,
    found,
    count: found.data?.files ?? 0,
    links: found.data?.live_links ?? null,
    mapped,
    /** Until these criteria are counted, files may be mapped: a choice about mappings applies. */
    known: isCounted ? mapped : null,
  }
}

export function DeleteByFilter({ entry, ...props }: EntryProps) {
  const plugins = useDeletionPlugins(entry)
  const { form, change, errors, attempt, bulk } = useForm<CriteriaForm>({
    initial: INITIAL,
    read: (given) => {
      const criteria = criteriaOf(given)
      return 'errors' in criteria ? criteria : { options: {} }
    },
  })
  const { filter, found, count, mapped, known, links } = useFound(form)
  const paid = paidText(found.data?.paid_deliveries ?? null)
  const unmaps = onlyUnmaps(form, mapped)
  const select = { filter: filter ?? {} }
  const chosen = { select, count, files: [], known: false, list: { filter: {}, total: count } }
  const texts = textsOf(entry, chosen, {})
  return (
    <BulkDialog
      {...props}
      {...bulk(entry.plugin.id)}
      chosen={chosen}
      title={texts.title}
      run={onlyUnmaps(form, known) ? t('Remove mappings') : texts.button}
      destructive
      preview="required"
      note={t('The preview shows which files match. Nothing is deleted until you confirm it.')}
      about={null}
      work={() => attempt() && workOf(form, known, plugins)}
    >
      <FormError text={errors.form} />
      <CriteriaFields form={form} errors={errors} onChange={change} />
      <Text as="p" fontWeight="semibold">
        <span role="status">
          {countedText(filter !== null, found.data?.files, found.isPlaceholderData, found.error)}
        </span>
      </Text>
      {filter !== null && count > 0 && !unmaps && <Text as="p">{trashText(count, links)}</Text>}
      {filter !== null && paid && !unmaps && (
        <Text as="p" tone="critical">
          {paid}
        </Text>
      )}
      <DeletionFields
        deletion={form}
        impact={{
          mapped: filter === null ? 0 : mapped,
          products: found.data?.products ?? null,
          links,
          paid: found.data?.paid_deliveries ?? null,
          asking: false,
        }}
        count={count}
        unmaps={plugins.unmap !== null}
        onChange={change}
      />
    </BulkDialog>
  )
}

interface FieldsProps {
  form: CriteriaForm
  errors: Errors
  onChange: (part: Partial<CriteriaForm>) => void
}

const CriteriaFields = ({ form, errors, onChange }: FieldsProps) => (
  <>
    <div className="pairs">
      <TextField
        label={t('Uploaded before')}
        type="date"
        value={form.uploaded_before}
        onChange={(uploaded_before) => onChange({ uploaded_before })}
      />
      <SizeField
        label={t('Larger than')}
        bytes={form.larger_than}
        error={errors.larger_than}
        onChange={(larger_than) => onChange({ larger_than })}
      />
    </div>
    <TagWords
      label={t('Has all of these tags')}
      placeholder={t('Any tags')}
      value={form.tags}
      onChange={(tags) => onChange({ tags })}
    />
    <Checkbox
      label={t('Not mapped to any product')}
      checked={form.unmapped}
      onChange={(unmapped) => onChange({ unmapped })}
    />
  </>
)

function countedText(
  any: boolean,
  total: number | undefined,
  stale: boolean,
  error: Error | null,
): string {
  if (!any) return t('A file must meet all conditions.')
  if (error) return t('The files could not be counted: {message}', { message: error.message })
  if (total === undefined || stale) return t('Counting …')
  return total === 0
    ? t('No file matches now')
    : t('{total, plural, one {# file matches} other {# files match}} now', { total })
}

// The plugins of a deletion: the dialog's own, and the one that removes products from files.

export function useDeletionPlugins({ plugin }: Entry): DeletionPlugins {
  const { data } = usePlugins()
  return { remove: plugin.id, unmap: findByWidget(data?.data ?? [], 'products')?.plugin.id ?? null }
}

// The options of a deletion, with what it means for the files' products.

interface Props {
  deletion: Deletion
  impact: Impact
  /** The number of files. */
  count: number
  /** Is removing their products offered instead? */
  unmaps: boolean
  onChange: (part: Partial<Deletion>) => void
}

export function DeletionFields(props: Props) {
  const { deletion, impact, onChange } = props
  return (
    <>
      {impact.mapped !== 0 && !impact.asking && <MappedFiles {...props} />}
      {!onlyUnmaps(deletion, impact.mapped) && (
        <Checkbox
          label={t('Back up first')}
          helpText={t(
            'Copies each file to the backup location and reads the copy back before the file is deleted. A file that can’t be backed up is not deleted.',
          )}
          checked={deletion.backup}
          onChange={(backup) => onChange({ backup })}
        />
      )}
    </>
  )
}

function MappedFiles({ deletion: { way }, impact, count, unmaps, onChange }: Props) {
  return (
    <>
      <Banner tone="warning" title={mappedText(impact.mapped, count)}>
        <p>{impactText(impact)}</p>
      </Banner>
      <ChoiceList
        title={t('What to do')}
        selected={[way]}
        onChange={([next]) => onChange({ way: next as Deletion['way'] })}
        choices={WAYS.filter(({ value }) => unmaps || value !== 'unmap')}
      />
    </>
  )
}

const WAYS = [
  {
    value: 'delete',
    label: t('Delete the files, keep their mappings'),
    helpText: t('A file that is restored belongs to its products again, and its links work again.'),
  },
  {
    value: 'delete-mappings',
    label: t('Delete the files and their mappings'),
    helpText: t(
      'A file that is restored belongs to no product. Undoing the deletion brings its products back.',
    ),
  },
  {
    value: 'unmap',
    label: t('Keep the files and remove their mappings only'),
    helpText: t('Nothing is deleted. Their links stop until they are mapped to a product again.'),
  },
]

// What a deletion would affect in addition to the files: their products and working links.

/** null: unknown. */
interface Impact {
  /** How many of the files are mapped to a product. */
  mapped: number | null
  /** The number of products to which the files are mapped. */
  products: number | null
  /** Working links to them. */
  links: number | null
  /** Paid deliveries that contain one of them. */
  paid: number | null
  /** The answer is being loaded. */
  asking: boolean
}

/**
 * If all files are loaded in the page, their own data is shown until the answer arrives.
 */
export function useImpact({ select, files, known }: ActionFiles): Impact {
  const { data, isFetching } = useFilesImpact(select)
  if (data)
    return {
      mapped: data.mapped,
      products: data.products,
      links: data.live_links,
      paid: data.paid_deliveries,
      asking: false,
    }
  if (!known) return { mapped: null, products: null, links: null, paid: null, asking: isFetching }
  const products = new Set(
    files.flatMap(({ mappings }) => mappings.map(({ product_id }) => product_id)),
  )
  const mapped = files.filter(({ mappings }) => mappings.length > 0).length
  return { mapped, products: products.size, links: null, paid: null, asking: false }
}
