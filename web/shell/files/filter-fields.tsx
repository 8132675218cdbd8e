// The form of a filter of files: the same criteria for a step's condition, a rule of a plugin and a
// scheduled task.
import { useState } from 'react'
import { useTags } from '../client/queries.ts'
import { useRead } from '../client/reads.ts'
import { type FileFilter } from '../client/types.ts'
import { Button, InlineError, Select, TextField } from '../ui/index.ts'
import { CHANNEL_IDS, channelText } from './condition-texts.ts'
import { FURTHER } from './further-conditions.ts'
import { TYPE_GROUPS, typeText } from './labels.ts'
import { CriticalButton } from '../components/critical-button.tsx'
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
  /** Shows the usual criteria; otherwise those in use, and a button for the others. */
  all?: boolean
  /** The parts to choose from; absent: all. */
  parts?: readonly Part[]
}

/** The parts of a condition that the form has; the others stay as they are. */
const PARTS = {
  search: t('Name or tags contain'),
  mapped: t('Products'),
  older_than_days: t('Uploaded more than'),
  not_downloaded_for_days: t('Not downloaded for'),
  type: t('Type is one of'),
  tags: t('Has all of these tags'),
  larger_than: t('Larger than'),
  smaller_than: t('Smaller than'),
  tags_any: t('Has one of these tags'),
  tags_none: t('Has none of these tags'),
  name_begins: t('Name begins with'),
  name_ends: t('Name ends with'),
  name_like: t('Name is like'),
  product_tag: t('Tag of its product'),
  pack: t('Pack'),
  pack_none: t('In a pack or not'),
  channel: t('Imported through'),
  drop_account: t('Drop account'),
  connection: t('Cloud connection'),
  folder: t('Cloud folder'),
  version_above: t('Version above'),
  linked: t('Links'),
  delivered: t('Deliveries'),
  uploaded_after: t('Uploaded after'),
  uploaded_before: t('Uploaded before'),
  changed_after: t('Changed after'),
  changed_before: t('Changed before'),
  downloaded_after: t('Downloaded after'),
  downloaded_before: t('Last downloaded before'),
  any: t('One of several'),
}
export type Part = keyof typeof PARTS

/** The parts that a form shows without being asked, if it shows more than those in use. */
const USUAL: readonly Part[] = [
  'search',
  'mapped',
  'older_than_days',
  'not_downloaded_for_days',
  'type',
  'tags',
  'larger_than',
  'smaller_than',
]
const TYPES = ['pdf', ...TYPE_GROUPS].map((type) => ({ value: type, text: typeText(type) }))
const CHANNELS = CHANNEL_IDS.map((id) => ({ value: id, text: channelText(id) }))
const channelOf = (word: string): string =>
  CHANNELS.find(({ text }) => text.toLowerCase() === word.trim().toLowerCase())?.value ??
  word.trim().toLowerCase()
const ALL_PARTS = Object.keys(PARTS) as Part[]
const SIMPLE_PARTS = ALL_PARTS.filter((part) => part !== 'any')
/** For the list of files, which has other filters for the rest. */
export const FURTHER_PARTS = ALL_PARTS.filter((part) => FURTHER.has(part))
const SUGGESTED_TAGS = 6

export function FilterFields(props: Props) {
  const { value, onChange, path, problems, all = false, parts = ALL_PARTS } = props
  // A field that was emptied stays visible.
  const [used, setUsed] = useState<readonly string[]>(() =>
    Object.keys(value).length > 0 ? Object.keys(value) : parts.slice(0, 1),
  )
  const id = (part: Part) => fieldId(`${path}.${part}`)
  const isShown = (part: Part) =>
    (all && USUAL.includes(part)) ||
    used.includes(part) ||
    value[part] !== undefined ||
    problems.within(`${path}.${part}`) !== undefined
  const add = (part: Part) => {
    setUsed([...used, part])
    if (part === 'any') onChange({ ...value, any: [{}] })
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
            path={path}
            problems={problems}
            value={value}
            change={(next) => onChange(withoutEmpty({ ...value, ...next }))}
          />
        ))}
      </div>
      {hidden.length > 0 && <MoreConditions parts={hidden} add={add} />}
    </div>
  )
}

interface MoreProps {
  parts: readonly Part[]
  add: (part: Part) => void
}

/** Buttons for the usual conditions that are not in use, and a list of the others. */
function MoreConditions({ parts, add }: MoreProps) {
  const usual = parts.filter((part) => USUAL.includes(part))
  const others = parts.filter((part) => !USUAL.includes(part))
  return (
    <div className="more-conditions" role="group" aria-label={t('More conditions')}>
      {usual.length > 0 && <span aria-hidden="true">{t('And also:')}</span>}
      {usual.map((part) => (
        <button
          key={part}
          type="button"
          aria-label={t('Add the condition {name}', { name: PARTS[part] })}
          onClick={() => add(part)}
        >
          {PARTS[part]}
        </button>
      ))}
      {others.length > 0 && (
        <Select
          label={t('Another condition')}
          labelHidden
          options={[
            { label: t('Another condition'), value: '' },
            ...others.map((value) => ({ label: PARTS[value], value })),
          ]}
          value=""
          onChange={(chosen) => {
            const part = others.find((one) => one === chosen)
            if (part) add(part)
          }}
        />
      )}
    </div>
  )
}

interface FieldProps {
  part: Part
  id: string
  error: string | undefined
  path: string
  problems: Problems
  value: FileFilter
  change: (part: FileFilter) => void
}

function FilterField({ part, id, error, path, problems, value, change }: FieldProps) {
  const common = { id, error, label: PARTS[part] }
  switch (part) {
    case 'search':
    case 'name_begins':
    case 'name_ends':
    case 'name_like':
    case 'product_tag':
    case 'folder':
      return (
        <TextField
          {...common}
          placeholder={PLACEHOLDERS[part]}
          value={value[part] ?? ''}
          onChange={(text) => change({ [part]: text })}
        />
      )
    case 'mapped':
    case 'pack_none':
    case 'linked':
    case 'delivered':
      return (
        <EitherField
          {...common}
          texts={EITHER[part]}
          value={value[part]}
          onChange={(chosen) => change({ [part]: chosen })}
        />
      )
    case 'older_than_days':
    case 'not_downloaded_for_days':
    case 'version_above':
      return (
        <NumberField
          {...common}
          {...NUMBERS[part]}
          value={value[part]}
          onChange={(number) => change({ [part]: number ?? undefined })}
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
    case 'type':
    case 'channel':
    case 'tags':
    case 'tags_any':
    case 'tags_none':
      return <ListField part={part} common={common} value={value[part] ?? []} change={change} />
    default:
      return <FurtherField {...{ part, id, error, path, problems, value, change }} />
  }
}

type FurtherPart =
  | 'pack'
  | 'drop_account'
  | 'connection'
  | 'any'
  | `${'uploaded' | 'changed' | 'downloaded'}_${'before' | 'after'}`

function FurtherField(props: FieldProps & { part: FurtherPart }) {
  const { part, id, error, path, problems, value, change } = props
  const common = { id, error, label: PARTS[part] }
  switch (part) {
    case 'pack':
    case 'drop_account':
    case 'connection':
      return (
        <RecordField
          {...common}
          of={part}
          value={value[part] ?? ''}
          onChange={(chosen) => change({ [part]: chosen })}
        />
      )
    case 'any':
      return (
        <Alternatives
          id={id}
          value={value.any ?? []}
          path={`${path}.any`}
          problems={problems}
          onChange={(any) => change({ any })}
        />
      )
    default:
      return (
        <TextField
          {...common}
          type="date"
          value={value[part]?.slice(0, 10) ?? ''}
          onChange={(day) => change({ [part]: day })}
        />
      )
  }
}

const NUMBERS = {
  older_than_days: { suffix: t('days ago'), placeholder: t('Any time') },
  not_downloaded_for_days: { suffix: t('days'), placeholder: t('Any time') },
  version_above: { placeholder: t('Any version') },
}

const PLACEHOLDERS = {
  search: t('Any name'),
  name_begins: t('Any name'),
  name_ends: t('Any name'),
  name_like: 'A-*.pdf',
  product_tag: t('Any tag'),
  folder: 'Guides/2026',
}

/** What a condition is called that is true or false: either, true, false. */
const EITHER = {
  mapped: [t('Mapped or not'), t('Mapped to a product'), t('Not mapped to any product')],
  pack_none: [t('In a pack or not'), t('In no pack'), t('In a pack')],
  linked: [t('With or without a link'), t('With a link'), t('Never linked')],
  delivered: [t('Delivered or not'), t('Delivered'), t('Never delivered')],
} as const

interface ListFieldProps {
  part: 'type' | 'channel' | 'tags' | 'tags_any' | 'tags_none'
  common: { id: string; error: string | undefined; label: string }
  value: readonly string[]
  change: (part: FileFilter) => void
}

function ListField({ part, common, value, change }: ListFieldProps) {
  const given = { ...common, value, onChange: (list: string[]) => change({ [part]: list }) }
  if (part === 'type')
    return (
      <WordsField
        {...given}
        placeholder={t('Any type')}
        suggestions={TYPES}
        write={(word) => word.toLowerCase().replace(/^\./, '')}
        read={typeText}
      />
    )
  if (part === 'channel')
    return (
      <WordsField
        {...given}
        placeholder={t('Any channel')}
        suggestions={CHANNELS}
        write={channelOf}
        read={channelText}
      />
    )
  return <TagWords {...given} placeholder={t('Any tags')} />
}

interface RecordFieldProps {
  of: 'pack' | 'drop_account' | 'connection'
  label: string
  id: string
  error: string | undefined
  value: string
  onChange: (id: string) => void
}

/** The first of a shop's records; one that is not among them keeps its id. */
function RecordField({ of, value, onChange, ...field }: RecordFieldProps) {
  const { data } = useRead(LISTS[of], of === 'pack' ? { query: { limit: 100 } } : {})
  const records: readonly { id: string; name: string }[] = data?.data ?? []
  const others = value === '' || records.some(({ id }) => id === value) ? [] : [value]
  return (
    <Select
      {...field}
      options={[
        { label: t('Any of them'), value: '' },
        ...records.map(({ id, name }) => ({ label: name, value: id })),
        ...others.map((id) => ({ label: id, value: id })),
      ]}
      value={value}
      onChange={onChange}
    />
  )
}

const LISTS = {
  pack: 'GET /api/packs',
  drop_account: 'GET /api/drop/accounts',
  connection: 'GET /api/connections',
} as const

type Alternative = NonNullable<FileFilter['any']>[number]
interface AlternativesProps {
  id: string
  value: readonly Alternative[]
  path: string
  problems: Problems
  onChange: (any: Alternative[]) => void
}
const MAX_ALTERNATIVES = 10

/** Conditions of which one must hold: a box for each, with an “or” between them. */
function Alternatives({ id, value, path, problems, onChange }: AlternativesProps) {
  // An alternative has no id, and the fields of one that was removed must not appear in the next.
  const [keys, setKeys] = useState<readonly number[]>(() => value.map((_, at) => at))
  const remove = (at: number) => {
    setKeys(keys.filter((_, n) => n !== at))
    onChange(value.filter((_, n) => n !== at))
  }
  const add = () => {
    setKeys([...keys, Math.max(-1, ...keys) + 1])
    onChange([...value, {}])
  }
  return (
    <fieldset className="group wide" id={id} tabIndex={-1}>
      <legend>{t('At least one of these')}</legend>
      {value.map((part, at) => (
        <div
          key={keys[at] ?? `new ${at}`}
          className="rows"
          tabIndex={-1}
          id={fieldId(`${path}[${at}]`)}
        >
          {at > 0 && <p className="or">{t('or')}</p>}
          <FilterFields
            value={part}
            path={`${path}[${at}]`}
            problems={problems}
            parts={SIMPLE_PARTS}
            onChange={(next) => onChange(value.map((one, n) => (n === at ? next : one)))}
          />
          {problems.at(`${path}[${at}]`) && (
            <InlineError
              message={problems.at(`${path}[${at}]`) ?? ''}
              fieldID={fieldId(`${path}[${at}]`)}
            />
          )}
          <div className="row-foot">
            <CriticalButton
              label={t('Remove alternative {number}', { number: at + 1 })}
              onClick={() => remove(at)}
              text={t('Remove')}
            />
          </div>
        </div>
      ))}
      {value.length < MAX_ALTERNATIVES && <Button onClick={add}>{t('Add an alternative')}</Button>}
    </fieldset>
  )
}

interface EitherProps {
  texts: readonly [either: string, yes: string, no: string]
  label: string
  id: string
  error: string | undefined
  /** Undefined: either. */
  value: boolean | undefined
  onChange: (value: boolean | undefined) => void
}

const EitherField = ({ texts: [either, yes, no], value, onChange, ...field }: EitherProps) => (
  <Select
    {...field}
    options={[
      { label: either, value: '' },
      { label: yes, value: 'true' },
      { label: no, value: 'false' },
    ]}
    value={value === undefined ? '' : String(value)}
    onChange={(chosen) => onChange(chosen === '' ? undefined : chosen === 'true')}
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
