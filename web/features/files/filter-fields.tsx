// The fields of each filter.
import { type ComponentType, useState } from 'react'
import { useConnections } from '../cloud/calls.ts'
import { useDropAccounts } from '../drop/calls.ts'
import { ProductPicker } from '../mapping/product-picker.tsx'
import { useLicenceLists } from '../preparation/calls.ts'
import { usePacks, useTags } from '../../shell/client/queries.ts'
import { productNames } from './filter-names.ts'
import { type FilesUrlState, moreOf, STORAGES, writeMore } from './url-state.ts'
import { words } from '../../shell/url-state/list-state.ts'
import { type UrlState } from '../../shell/url-state/use-url-state.ts'
import { useDraft } from '../../shell/url-state/use-draft.ts'
import { BlockStack, ChoiceList, Spinner, Text, TextField } from '../../shell/ui/index.ts'
import { checkFilter } from '../../shell/files/filter-check.ts'
import { problemsOf } from '../../shell/components/problems.ts'
import { FilterFields, FURTHER_PARTS } from '../../shell/files/filter-fields.tsx'
import { TYPE_GROUPS, typeText } from '../../shell/files/labels.ts'
import { numberText } from '../../shell/labels/size.ts'
import { locationText } from '../../shell/labels/storage.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  urlState: FilesUrlState
  go: UrlState<FilesUrlState>['go']
}

const MB = 1024 ** 2
const OFFERED = ['pdf', ...TYPE_GROUPS]

function ContainsFilter({ urlState, go }: Props) {
  const draft = useDraft(urlState.contains, (contains) => go({ contains }))
  return <TextField label={t('Name contains')} value={draft.text} onChange={draft.change} />
}

function TypeFilter({ urlState, go }: Props) {
  const others = urlState.type.filter((type) => !OFFERED.includes(type))
  const offered = urlState.type.filter((type) => OFFERED.includes(type))
  const other = useDraft(others.join(', '), (text) =>
    go({ type: [...offered, ...words(text.toLowerCase().replaceAll('.', ''))] }),
  )
  return (
    <BlockStack gap="300">
      <ChoiceList
        title={t('Type')}
        titleHidden
        allowMultiple
        selected={offered}
        onChange={(chosen) => go({ type: [...chosen, ...others] })}
        choices={OFFERED.map((type) => ({ value: type, label: typeText(type) }))}
      />
      <TextField
        label={t('Other extensions')}
        placeholder={t('epub, psd')}
        value={other.text}
        onChange={other.change}
      />
    </BlockStack>
  )
}

function TagFilter({ urlState, go }: Props) {
  const { data, isPending } = useTags()
  if (isPending) return <Spinner size="small" accessibilityLabel={t('Loading tags')} />
  const counts = new Map(data?.data.map(({ tag, files }) => [tag, files]))
  const tags = [...new Set([...urlState.tags, ...counts.keys()])]
  if (tags.length === 0) return <Text as="p">{t('No file has a tag yet.')}</Text>
  return (
    <div style={{ maxBlockSize: 320, overflowY: 'auto' }}>
      <ChoiceList
        title={t('Tags')}
        titleHidden
        allowMultiple
        selected={urlState.tags}
        onChange={(chosen) => go({ tags: chosen })}
        choices={tags.map((tag) => ({
          value: tag,
          label: `${tag} (${numberText(counts.get(tag) ?? 0)})`,
        }))}
      />
    </div>
  )
}

function MappedFilter({ urlState, go }: Props) {
  return (
    <ChoiceList
      title={t('Products')}
      titleHidden
      selected={urlState.mapped === null ? [] : [String(urlState.mapped)]}
      onChange={([chosen]) => go({ mapped: chosen === 'true' })}
      choices={[
        { value: 'true', label: t('Mapped to a product') },
        { value: 'false', label: t('Not mapped') },
      ]}
    />
  )
}

const ProductFilter = ({ urlState, go }: Props) => (
  <div style={{ maxBlockSize: 360, overflowY: 'auto' }}>
    <ProductPicker
      whole
      choice={
        urlState.product === ''
          ? null
          : { product_id: urlState.product, variant_id: null, title: '' }
      }
      onChoose={({ product_id, title }) => {
        productNames.set(product_id, title)
        go({ product: product_id })
      }}
    />
  </div>
)

interface OneProps<Value extends string> {
  title: string
  /** The records to choose from; absent while they load. */
  choices: readonly { value: Value; label: string }[] | undefined
  error: Error | null
  /** Said if there is none. */
  none: string
  selected: Value | ''
  onChoose: (chosen: Value) => void
}

/** A filter by one record of the shop: a pack, a connection and so on. */
function OneFilter<Value extends string>(props: OneProps<Value>) {
  const { title, choices, error, none, selected, onChoose } = props
  if (choices === undefined)
    return error ? (
      <Text as="p" tone="critical">
        {t('The list could not be loaded: {message}', { message: error.message })}
      </Text>
    ) : (
      <Spinner size="small" accessibilityLabel={t('Loading {what}', { what: title })} />
    )
  if (choices.length === 0) return <Text as="p">{none}</Text>
  return (
    <div style={{ maxBlockSize: 320, overflowY: 'auto' }}>
      <ChoiceList
        title={title}
        titleHidden
        selected={selected === '' ? [] : [selected]}
        onChange={([chosen]) => {
          const found = choices.find(({ value }) => value === chosen)
          if (found) onChoose(found.value)
        }}
        choices={[...choices]}
      />
    </div>
  )
}

function PackFilter({ urlState, go }: Props) {
  const { data, error } = usePacks({ limit: 100 })
  return (
    <OneFilter
      title={t('Pack')}
      none={t('There is no pack yet.')}
      error={error}
      selected={urlState.pack}
      onChoose={(pack) => go({ pack })}
      choices={data?.data.map(({ id, name, files }) => ({
        value: id,
        label: `${name} (${numberText(files)})`,
      }))}
    />
  )
}

const StorageFilter = ({ urlState, go }: Props) => (
  <OneFilter
    title={t('Storage')}
    none=""
    error={null}
    selected={urlState.storage}
    onChoose={(storage) => go({ storage })}
    choices={STORAGES.map((value) => ({ value, label: locationText(value) }))}
  />
)

const PaidFilter = ({ urlState, go }: Props) => (
  <OneFilter
    title={t('Paid by')}
    none=""
    error={null}
    selected={urlState.delivered === null ? '' : urlState.delivered ? 'yes' : 'no'}
    onChoose={(chosen) => go({ delivered: chosen === 'yes' })}
    choices={[
      { value: 'yes', label: t('Paid by a buyer') },
      { value: 'no', label: t('Paid by nobody') },
    ]}
  />
)

const BackupFilter = ({ urlState, go }: Props) => (
  <OneFilter
    title={t('Backup')}
    none=""
    error={null}
    selected={urlState.backed_up === null ? '' : urlState.backed_up ? 'yes' : 'no'}
    onChoose={(chosen) => go({ backed_up: chosen === 'yes' })}
    choices={[
      { value: 'yes', label: t('Backed up') },
      { value: 'no', label: t('Never backed up') },
    ]}
  />
)

const ReleaseFilter = ({ urlState, go }: Props) => (
  <OneFilter
    title={t('Release date')}
    none=""
    error={null}
    selected={urlState.released === null ? '' : urlState.released ? 'yes' : 'no'}
    onChoose={(chosen) => go({ released: chosen === 'yes' })}
    choices={[
      { value: 'no', label: t('Not released yet') },
      { value: 'yes', label: t('Released') },
    ]}
  />
)

const QuarantineFilter = ({ urlState, go }: Props) => (
  <OneFilter
    title={t('Quarantine')}
    none=""
    error={null}
    selected={urlState.quarantined === null ? '' : urlState.quarantined ? 'yes' : 'no'}
    onChoose={(chosen) => go({ quarantined: chosen === 'yes' })}
    choices={[
      { value: 'yes', label: t('In quarantine') },
      { value: 'no', label: t('Not in quarantine') },
    ]}
  />
)

function ConnectionFilter({ urlState, go }: Props) {
  const { data, error } = useConnections()
  return (
    <OneFilter
      title={t('Cloud connection')}
      none={t('There is no cloud connection yet.')}
      error={error}
      selected={urlState.connection}
      onChoose={(connection) => go({ connection })}
      choices={data?.data.map(({ id, name }) => ({ value: id, label: name }))}
    />
  )
}

function DropAccountFilter({ urlState, go }: Props) {
  const { data, error } = useDropAccounts()
  return (
    <OneFilter
      title={t('Drop account')}
      none={t('There is no drop account yet.')}
      error={error}
      selected={urlState.drop_account}
      onChoose={(drop_account) => go({ drop_account })}
      choices={data?.data.map(({ id, name }) => ({ value: id, label: name }))}
    />
  )
}

function LicenceListFilter({ urlState, go }: Props) {
  const { data, error } = useLicenceLists()
  return (
    <OneFilter
      title={t('Licence keys')}
      none={t('There is no list of licence keys yet.')}
      error={error}
      selected={urlState.licence_list}
      onChoose={(licence_list) => go({ licence_list })}
      choices={data?.data.map(({ id, name }) => ({ value: id, label: name }))}
    />
  )
}

function SizeFilter({ urlState, go }: Props) {
  return (
    <BlockStack gap="300">
      <SizeField
        label={t('Over')}
        bytes={urlState.larger_than}
        onChange={(larger_than) => go({ larger_than })}
      />
      <SizeField
        label={t('Under')}
        bytes={urlState.smaller_than}
        onChange={(smaller_than) => go({ smaller_than })}
      />
    </BlockStack>
  )
}

interface SizeFieldProps {
  label: string
  bytes: number | null
  onChange: (bytes: number | null) => void
}

function SizeField({ label, bytes, onChange }: SizeFieldProps) {
  const draft = useDraft(bytes === null ? '' : String(Number((bytes / MB).toFixed(3))), (text) => {
    const value = Number(text)
    onChange(text.trim() === '' || !(value >= 0) ? null : Math.round(value * MB))
  })
  return (
    <TextField
      label={label}
      type="number"
      min={0}
      suffix={t('MB')}
      value={draft.text}
      onChange={draft.change}
    />
  )
}

function DateFilter({ urlState, go }: Props) {
  return (
    <BlockStack gap="300">
      <DateField
        label={t('After')}
        day={urlState.uploaded_after}
        onChange={(uploaded_after) => go({ uploaded_after })}
      />
      <DateField
        label={t('Before')}
        day={urlState.uploaded_before}
        onChange={(uploaded_before) => go({ uploaded_before })}
      />
    </BlockStack>
  )
}

function AgeFilter({ urlState, go }: Props) {
  return (
    <DaysField
      label={t('Uploaded longer ago than')}
      days={urlState.older_than_days}
      onChange={(older_than_days) => go({ older_than_days })}
    />
  )
}

function DownloadedFilter({ urlState, go }: Props) {
  return (
    <DaysField
      label={t('Not downloaded for')}
      days={urlState.not_downloaded_for_days}
      onChange={(not_downloaded_for_days) => go({ not_downloaded_for_days })}
    />
  )
}

interface DaysFieldProps {
  label: string
  days: number | null
  onChange: (days: number | null) => void
}

function DaysField({ label, days, onChange }: DaysFieldProps) {
  const draft = useDraft(days === null ? '' : String(days), (text) =>
    onChange(/^[1-9]\d{0,4}$/.test(text.trim()) ? Number(text) : null),
  )
  return (
    <TextField
      label={label}
      type="number"
      min={1}
      suffix={t('days')}
      value={draft.text}
      onChange={draft.change}
    />
  )
}

interface DateFieldProps {
  label: string
  day: string
  onChange: (day: string) => void
}

function DateField({ label, day, onChange }: DateFieldProps) {
  const draft = useDraft(day.slice(0, 10), onChange)
  return <TextField label={label} type="date" value={draft.text} onChange={draft.change} />
}

/** Conditions that are not complete yet stay here. */
function MoreFilter({ urlState, go }: Props) {
  const [filter, setFilter] = useState(() => moreOf(urlState))
  const problems = problemsOf(checkFilter(filter, 'more'))
  const shown = useDraft(urlState.more, (more) => go({ more }))
  return (
    <div className="more-filter">
      <FilterFields
        value={filter}
        path="more"
        problems={problems}
        parts={FURTHER_PARTS}
        onChange={(next) => {
          setFilter(next)
          if (checkFilter(next, 'more').length === 0) shown.change(writeMore(next))
        }}
      />
    </div>
  )
}

const FIELDS = {
  type: TypeFilter,
  tags: TagFilter,
  mapped: MappedFilter,
  product: ProductFilter,
  pack: PackFilter,
  size: SizeFilter,
  date: DateFilter,
  age: AgeFilter,
  downloaded: DownloadedFilter,
  delivered: PaidFilter,
  storage: StorageFilter,
  backed_up: BackupFilter,
  released: ReleaseFilter,
  quarantined: QuarantineFilter,
  connection: ConnectionFilter,
  drop_account: DropAccountFilter,
  licence_list: LicenceListFilter,
  contains: ContainsFilter,
  more: MoreFilter,
} satisfies Record<string, ComponentType<Props>>

export type FilterKey = keyof typeof FIELDS

export function FilterField({ of, ...props }: Props & { of: FilterKey }) {
  const Field = FIELDS[of]
  return <Field {...props} />
}
