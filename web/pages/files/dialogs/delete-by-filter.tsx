// Deletes all files that meet what is written here. What that would be is always looked at first.
import { useFiles } from '../../../client/queries.ts'
import { type FileFilter, type Operation } from '../../../client/types.ts'
import { TagWords } from '../../../components/filter-fields.tsx'
import { SizeField, type SizeValue } from '../../../components/size-field.tsx'
import { useSettled } from '../../../place/use-settled.ts'
import { Checkbox, Text, TextField } from '../../../ui/index.ts'
import { countText } from '../../../words/size.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import { type Errors, useForm } from './use-form.ts'
import { FormError } from './form-error.tsx'

interface CriteriaForm {
  uploaded_before: string
  unmapped: boolean
  larger_than: SizeValue
  tags: string[]
  remove_mappings: boolean
}

const INITIAL: CriteriaForm = {
  uploaded_before: '',
  unmapped: false,
  larger_than: undefined,
  tags: [],
  remove_mappings: false,
}

/** Which files are meant, or what is wrong with a field. Nothing at all would be every file: that is asked for. */
function criteriaOf({ uploaded_before, unmapped, larger_than, tags }: CriteriaForm): FileFilter | { errors: Errors } {
  if (typeof larger_than === 'string') return { errors: { larger_than: 'Write a size in MB' } }
  const filter: FileFilter = {
    ...(uploaded_before === '' ? {} : { uploaded_before }),
    ...(unmapped ? { mapped: false } : {}),
    ...(larger_than === undefined ? {} : { larger_than }),
    ...(tags.length === 0 ? {} : { tags }),
  }
  return Object.keys(filter).length === 0 ? { errors: { form: 'Name at least one condition' } } : filter
}

interface Props {
  onClose: () => void
  onLaunched: (operation: Operation) => void
}

export function DeleteByFilter(props: Props) {
  const { form, change, errors, bulk } = useForm<CriteriaForm>({
    initial: INITIAL,
    read: (given) => {
      const criteria = criteriaOf(given)
      return 'errors' in criteria ? criteria : { options: { remove_mappings: given.remove_mappings } }
    },
  })
  const criteria = criteriaOf(form)
  const filter = 'errors' in criteria ? null : criteria
  const found = useFiles({ ...useSettled(filter), limit: 1 }, false, filter !== null)
  const count = found.data?.total ?? 0
  return (
    <BulkDialog
      {...props}
      {...bulk('delete-files')}
      chosen={{ select: { filter: filter ?? {} }, count, files: [], known: false, list: { filter: {}, total: count } }}
      title="Delete files by conditions"
      run={`Delete ${countText(count, 'file', 'files')}`}
      destructive
      preview="required"
      note="The preview shows which files these are. They are deleted when you confirm it, and stay in the trash for 7 days."
      about={null}
    >
      <FormError text={errors.form} />
      <div className="pairs">
        <TextField
          label="Uploaded before"
          type="date"
          autoComplete="off"
          value={form.uploaded_before}
          onChange={(uploaded_before) => change({ uploaded_before })}
        />
        <SizeField
          label="Larger than"
          bytes={form.larger_than}
          error={errors.larger_than}
          onChange={(larger_than) => change({ larger_than })}
        />
      </div>
      <TagWords
        label="Has all of these tags"
        placeholder="Any tags"
        value={form.tags}
        onChange={(tags) => change({ tags })}
      />
      <Checkbox
        label="Not mapped to any product"
        checked={form.unmapped}
        onChange={(unmapped) => change({ unmapped })}
      />
      {!form.unmapped && (
        <Checkbox
          label="Remove product mappings too"
          helpText="A file that is restored then belongs to no product."
          checked={form.remove_mappings}
          onChange={(remove_mappings) => change({ remove_mappings })}
        />
      )}
      <Text as="p" fontWeight="semibold">
        <span role="status">{countedText(filter !== null, found.data?.total, found.isPlaceholderData)}</span>
      </Text>
    </BulkDialog>
  )
}

function countedText(any: boolean, total: number | undefined, stale: boolean): string {
  if (!any) return 'Every condition that is named must hold.'
  if (total === undefined || stale) return 'Counting …'
  return total === 0 ? 'No file matches now' : `${countText(total, 'file matches', 'files match')} now`
}
