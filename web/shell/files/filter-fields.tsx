// The form of a filter of files: the same criteria for a step's condition, a rule of a plugin and a
// scheduled task.
import { useState } from 'react'
import { useTags } from '../client/queries.ts'
import { type FileFilter } from '../client/types.ts'
import { Select, TextField } from '../ui/index.ts'
import { TYPE_GROUPS, typeText } from './labels.ts'
import { NumberField } from '../components/number-field.tsx'
import { fieldId, type Problems } from '../components/problems.ts'
import { SizeField } from '../components/size-field.tsx'
import { WordsField } from '../components/words-field.tsx'
import '../components/form.css'
import { t } from '../messages/t.ts'

interface Props {
  value: FileFilter
  onChange: (value: FileFilter) => void
  path: string
  problems: Problems
  /**
   * Shows all criteria, including those about days; otherwise those in use, and a button for the
   * others.
   */
  all?: boolean
}

type Part = Exclude<
  keyof FileFilter,
  | 'find'
  | 'name_contains'
  | 'uploaded_before'
  | 'uploaded_after'
  | 'pack'
  | 'product'
  | 'storage'
  | 'backed_up'
  | 'released'
  | 'connection'
  | 'drop_account'
  | 'licence_list'
  | 'deleted'
>

const PARTS: Record<Part, string> = {
  search: t('Name or tags contain'),
  mapped: t('Products'),
  older_than_days: t('Uploaded more than'),
  not_downloaded_for_days: t('Not downloaded for'),
  type: t('Type is one of'),
  tags: t('Has all of these tags'),
  larger_than: t('Larger than'),
  smaller_than: t('Smaller than'),
}
const AGES: readonly string[] = ['older_than_days', 'not_downloaded_for_days']
const TYPES = ['pdf', ...TYPE_GROUPS].map((type) => ({ value: type, text: typeText(type) }))
const SUGGESTED_TAGS = 6

export function FilterFields({ value, onChange, path, problems, all = false }: Props) {
  // A field that was emptied stays visible.
  const [used, setUsed] = useState<readonly string[]>(() =>
    Object.keys(value).length > 0 ? Object.keys(value) : ['search'],
  )
  const id = (part: Part) => fieldId(`${path}.${part}`)
  const parts = (Object.keys(PARTS) as Part[]).filter((part) => all || !AGES.includes(part))
  const isShown = (part: Part) =>
    all ||
    used.includes(part) ||
    value[part] !== undefined ||
    problems.within(`${path}.${part}`) !== undefined
  const add = (part: Part) => {
    setUsed([...used, part])
    requestAnimationFrame(() => document.getElementById(id(part))?.focus())
  }
  const hidden = parts.filter((part) => !isShown(part))
  return (
    <div>
      <div className="fields">
        {parts.filter(isShown).map((part) => (
          <FilterField
            key={part}
            part={part}
            id={id(part)}
            error={problems.within(`${path}.${part}`)}
            value={value}
            change={(next) => onChange(withoutEmpty({ ...value, ...next }))}
          />
        ))}
      </div>
      {hidden.length > 0 && (
        <div className="more-conditions" role="group" aria-label={t('More conditions')}>
          <span aria-hidden="true">{t('And also:')}</span>
          {hidden.map((part) => (
            <button
              key={part}
              type="button"
              aria-label={t('Add the condition {name}', { name: PARTS[part] })}
              onClick={() => add(part)}
            >
              {PARTS[part]}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

interface FieldProps {
  part: Part
  id: string
  error: string | undefined
  value: FileFilter
  change: (part: FileFilter) => void
}

function FilterField({ part, id, error, value, change }: FieldProps) {
  const common = { id, error, label: PARTS[part] }
  switch (part) {
    case 'search':
      return (
        <TextField
          {...common}
          placeholder={t('Any name')}
          value={value.search ?? ''}
          onChange={(search) => change({ search })}
        />
      )
    case 'mapped':
      return (
        <MappedField {...common} value={value.mapped} onChange={(mapped) => change({ mapped })} />
      )
    case 'older_than_days':
    case 'not_downloaded_for_days':
      return (
        <NumberField
          {...common}
          suffix={part === 'older_than_days' ? t('days ago') : t('days')}
          placeholder={t('Any time')}
          value={value[part]}
          onChange={(days) => change({ [part]: days ?? undefined })}
        />
      )
    case 'type':
      return (
        <WordsField
          {...common}
          placeholder={t('Any type')}
          suggestions={TYPES}
          write={(word) => word.toLowerCase().replace(/^\./, '')}
          read={typeText}
          value={value.type ?? []}
          onChange={(type) => change({ type })}
        />
      )
    case 'tags':
      return (
        <TagWords
          {...common}
          placeholder={t('Any tags')}
          value={value.tags ?? []}
          onChange={(tags) => change({ tags })}
        />
      )
    case 'larger_than':
    case 'smaller_than':
      return (
        <SizeField
          {...common}
          bytes={value[part]}
          onChange={(bytes) => change({ [part]: bytes })}
        />
      )
  }
}

interface MappedProps {
  label: string
  id: string
  error: string | undefined
  /** Undefined: mapped or not. */
  value: boolean | undefined
  onChange: (mapped: boolean | undefined) => void
}

const MappedField = ({ value, onChange, ...field }: MappedProps) => (
  <Select
    {...field}
    options={[
      { label: t('Mapped or not'), value: '' },
      { label: t('Mapped to a product'), value: 'true' },
      { label: t('Not mapped to any product'), value: 'false' },
    ]}
    value={value === undefined ? '' : String(value)}
    onChange={(mapped) => onChange(mapped === '' ? undefined : mapped === 'true')}
  />
)

interface TagWordsProps {
  label: string
  id?: string
  help?: string
  error?: string
  placeholder?: string
  value: readonly string[]
  onChange: (tags: string[]) => void
  requiredIndicator?: boolean
  /** Hides the suggestions of existing tags. */
  bare?: boolean
}

/** Tags, with suggestions of the tags that the shop uses most. */
export function TagWords({ bare = false, ...props }: TagWordsProps) {
  const { data } = useTags()
  const used = (data?.data ?? [])
    .slice(0, SUGGESTED_TAGS)
    .map(({ tag }) => ({ value: tag, text: tag }))
  return <WordsField {...props} suggestions={bare ? [] : used} />
}

/** An absent part is no condition; an empty one would be one. */
const withoutEmpty = (filter: FileFilter): FileFilter =>
  Object.fromEntries(
    Object.entries(filter).filter(
      ([, part]) =>
        part !== undefined && part !== '' && !(Array.isArray(part) && part.length === 0),
    ),
  )
