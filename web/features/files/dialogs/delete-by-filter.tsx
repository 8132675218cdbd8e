// Deletes all files that match the criteria. A preview is required.
import { useFilesImpact } from '../../../shell/client/queries.ts'
import { type FileFilter } from '../../../shell/client/types.ts'
import { TagWords } from '../../../shell/files/filter-fields.tsx'
import { SizeField, type SizeValue } from '../../../shell/components/size-field.tsx'
import { useDebounced } from '../../../shell/url-state/use-debounced.ts'
import { Checkbox, Text, TextField } from '../../../shell/ui/index.ts'
import { paidText, trashText } from '../../../shell/files/impact-labels.ts'
import { textsOf } from './action-texts.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import { DeletionFields } from './deletion-fields.tsx'
import { type Deletion, onlyUnmaps, PLAIN_DELETION, workOf } from './deletion.ts'
import { type EntryProps } from './entry-props.ts'
import { FormError } from './form-error.tsx'
import { useDeletionPlugins } from './use-deletion-plugins.ts'
import { type Errors, useForm } from './use-form.ts'
import { t } from '../../../shell/messages/t.ts'

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
  return {
    filter,
    found,
    count: found.data?.files ?? 0,
    links: found.data?.live_links ?? null,
    // Files that cannot be counted may be mapped.
    mapped: found.data ? found.data.mapped : found.error ? null : 0,
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
  const { filter, found, count, mapped, links } = useFound(form)
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
      run={unmaps ? t('Remove mappings') : texts.button}
      destructive
      preview="required"
      note={t('The preview shows which files match. Nothing is deleted until you confirm it.')}
      about={null}
      work={() => attempt() && workOf(form, mapped, plugins)}
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
