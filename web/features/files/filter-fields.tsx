// The fields of each filter.
import { usePacks } from '../packs/calls.ts'
import { useTags } from '../../shell/client/queries.ts'
import { type FilesUrlState } from './url-state.ts'
import { words } from '../../shell/url-state/list-state.ts'
import { type UrlState } from '../../shell/url-state/use-url-state.ts'
import { useDraft } from '../../shell/url-state/use-draft.ts'
import { BlockStack, ChoiceList, Spinner, Text, TextField } from '../../shell/ui/index.ts'
import { TYPE_GROUPS, typeText } from '../../shell/files/labels.ts'
import { numberText } from '../../shell/labels/size.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  urlState: FilesUrlState
  go: UrlState<FilesUrlState>['go']
}

const MB = 1024 ** 2
const OFFERED = ['pdf', ...TYPE_GROUPS]

export function TypeFilter({ urlState, go }: Props) {
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
        autoComplete="off"
        value={other.text}
        onChange={other.change}
      />
    </BlockStack>
  )
}

export function TagFilter({ urlState, go }: Props) {
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

export function MappedFilter({ urlState, go }: Props) {
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

export function PackFilter({ urlState, go }: Props) {
  const { data, isPending } = usePacks({ limit: 100 })
  if (isPending) return <Spinner size="small" accessibilityLabel={t('Loading packs')} />
  const packs = data?.data ?? []
  if (packs.length === 0) return <Text as="p">{t('There is no pack yet.')}</Text>
  return (
    <div style={{ maxBlockSize: 320, overflowY: 'auto' }}>
      <ChoiceList
        title={t('Pack')}
        titleHidden
        selected={[urlState.pack]}
        onChange={([chosen]) => go({ pack: chosen })}
        choices={packs.map(({ id, name, files }) => ({
          value: id,
          label: `${name} (${numberText(files)})`,
        }))}
      />
    </div>
  )
}

export function SizeFilter({ urlState, go }: Props) {
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
      autoComplete="off"
      value={draft.text}
      onChange={draft.change}
    />
  )
}

export function DateFilter({ urlState, go }: Props) {
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

export function AgeFilter({ urlState, go }: Props) {
  return (
    <DaysField
      label={t('Uploaded longer ago than')}
      days={urlState.older_than_days}
      onChange={(older_than_days) => go({ older_than_days })}
    />
  )
}

export function DownloadedFilter({ urlState, go }: Props) {
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
      autoComplete="off"
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
  const draft = useDraft(day, onChange)
  return (
    <TextField
      label={label}
      type="date"
      autoComplete="off"
      value={draft.text}
      onChange={draft.change}
    />
  )
}
