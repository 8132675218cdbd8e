// Which files are meant: the same criteria for a step's condition, a rule of a plugin and a scheduled task.
import { useTags } from '../client/queries.ts'
import { type FileFilter } from '../client/types.ts'
import { Select, TextField } from '../ui/index.ts'
import { TYPE_GROUPS, typeText } from '../words/file.ts'
import { NumberField, type NumberValue } from './number-field.tsx'
import { fieldId, type Problems } from './problems.ts'
import { SizeField } from './size-field.tsx'
import { WordsField } from './words-field.tsx'
import './form.css'

interface Props {
  value: FileFilter
  onChange: (value: FileFilter) => void
  path: string
  problems: Problems
  /** Also by days since upload and since the last download. */
  ages?: boolean
}

const TYPES = ['pdf', ...TYPE_GROUPS].map((type) => ({ value: type, text: typeText(type) }))
const SUGGESTED_TAGS = 6

export function FilterFields({ value, onChange, path, problems, ages = false }: Props) {
  const change = (part: FileFilter) => onChange(withoutEmpty({ ...value, ...part }))
  const field = (name: keyof FileFilter) => ({
    id: fieldId(`${path}.${name}`),
    error: problems.within(`${path}.${name}`),
  })
  const days = (name: 'older_than_days' | 'not_downloaded_for_days', label: string) => (
    <NumberField
      {...field(name)}
      label={label}
      suffix="days"
      placeholder="Any time"
      value={value[name]}
      onChange={(count: NumberValue) => change({ [name]: count ?? undefined })}
    />
  )
  return (
    <div className="fields">
      <TextField
        {...field('search')}
        label="Name contains"
        autoComplete="off"
        placeholder="Any name"
        value={value.search ?? ''}
        onChange={(search) => change({ search })}
      />
      <Select
        {...field('mapped')}
        label="Products"
        options={[
          { label: 'Mapped or not', value: '' },
          { label: 'Mapped to a product', value: 'true' },
          { label: 'Not mapped to any product', value: 'false' },
        ]}
        value={value.mapped === undefined ? '' : String(value.mapped)}
        onChange={(mapped) => change({ mapped: mapped === '' ? undefined : mapped === 'true' })}
      />
      {ages && days('older_than_days', 'Uploaded more than this long ago')}
      {ages && days('not_downloaded_for_days', 'Not downloaded for')}
      <WordsField
        {...field('type')}
        label="Type is one of"
        placeholder="Any type"
        suggestions={TYPES}
        write={(word) => word.toLowerCase().replace(/^\./, '')}
        read={typeText}
        value={value.type ?? []}
        onChange={(type) => change({ type })}
      />
      <TagWords
        {...field('tags')}
        label="Has all of these tags"
        placeholder="Any tags"
        value={value.tags ?? []}
        onChange={(tags) => change({ tags })}
      />
      <SizeField
        {...field('larger_than')}
        label="Larger than"
        bytes={value.larger_than}
        onChange={(larger_than) => change({ larger_than })}
      />
      <SizeField
        {...field('smaller_than')}
        label="Smaller than"
        bytes={value.smaller_than}
        onChange={(smaller_than) => change({ smaller_than })}
      />
    </div>
  )
}

interface TagWordsProps {
  label: string
  id?: string
  help?: string
  error?: string
  placeholder?: string
  value: readonly string[]
  onChange: (tags: string[]) => void
  requiredIndicator?: boolean
}

/** Tags, with those that the shop's files have most offered. */
export function TagWords(props: TagWordsProps) {
  const { data } = useTags()
  const used = (data?.data ?? []).slice(0, SUGGESTED_TAGS).map(({ tag }) => ({ value: tag, text: tag }))
  return <WordsField {...props} suggestions={used} />
}

/** An absent part is no condition: an empty one would be. */
export const withoutEmpty = (filter: FileFilter): FileFilter =>
  Object.fromEntries(
    Object.entries(filter).filter(
      ([, part]) => part !== undefined && part !== '' && !(Array.isArray(part) && part.length === 0),
    ),
  )
