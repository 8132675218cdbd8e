// The search field and the filters above the list, and the applied ones.
import { memo, useEffect, useState } from 'react'
import { lazyPart } from '../../shell/components/lazy-part.tsx'
import type { File } from '../../shell/client/types.ts'
import type { UrlState } from '../../shell/url-state/use-url-state.ts'
import { useDraft } from '../../shell/url-state/use-draft.ts'
import {
  ActionList,
  Button,
  Filters,
  Popover,
  SortIcon,
  Spinner,
  useBreakpoints,
  Box,
  ColumnsIcon,
} from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { locationText } from '../../shell/labels/storage.ts'
import { filterTexts as conditionTexts } from '../../shell/files/filter-labels.ts'
import { typeText } from '../../shell/files/labels.ts'
import { dayText } from '../../shell/labels/time.ts'
import type { ListColumn } from './columns.ts'
import type { ListLayout } from './layout.ts'
import { LayoutSwitch } from './layout-switch.tsx'
import { useFilterNames, type FilterNames } from './filter-names.ts'
import {
  FILE_SORTS,
  type FileSort,
  type FilesUrlState,
  moreOf,
  withoutFilters,
} from './url-state.ts'
import type { FilterKey } from './filter-fields.tsx'

const loadFields = () => import('./filter-fields.tsx')
const FilterField = lazyPart(async () => (await loadFields()).FilterField, {
  fallback: (
    <Spinner size="small" accessibilityLabel={t('Loading {what}', { what: t('Filters') })} />
  ),
})

interface Props {
  urlState: FilesUrlState
  go: UrlState<FilesUrlState>['go']
  loading: boolean
  /** The files of the page; must be the same array while they do not change. */
  files: readonly File[]
  columns: readonly ListColumn[]
  onColumns: (columns: readonly ListColumn[]) => void
  layout: ListLayout
  onLayout: (layout: ListLayout) => void
}

/** Memoised: a tick in the list does not change it. */
export const FilesFilters = memo(function FilesFilters(props: Props) {
  const { urlState, go, loading, files, columns, onColumns, layout, onLayout } = props
  // A search makes one history entry, not one for each letter.
  const search = useDraft(urlState.search, (text) =>
    go({ search: text }, { replace: urlState.search !== '' && text !== '' }),
  )
  const { lgDown: narrow } = useBreakpoints()
  useLoadedAfter(files.length > 0)
  const names = useFilterNames(urlState, files)
  const applied = appliedFilters(urlState, go, names)
  const hasMore = useGains(applied.map(({ key }) => key))
  return (
    <Filters
      queryValue={search.text}
      queryPlaceholder={t('Search files')}
      onQueryChange={search.change}
      onQueryClear={search.clear}
      onClearAll={() => go(withoutFilters(urlState))}
      loading={loading}
      filters={[...filtersOf({ urlState, go }), ...(hasMore ? [UNSEEN] : [])]}
      appliedFilters={applied}
    >
      {narrow || layout === 'grid' ? (
        <Order sort={urlState.sort} onSort={(sort) => go({ sort })} />
      ) : (
        <ColumnsButton columns={columns} onChange={onColumns} />
      )}
      <LayoutSwitch layout={layout} onChange={onLayout} />
    </Filters>
  )
})

type FieldProps = Pick<Props, 'urlState' | 'go'>

const FILTERS: readonly [key: FilterKey, label: string, pinned?: true][] = [
  ['type', t('Type'), true],
  ['tags', t('Tags'), true],
  ['mapped', t('Products'), true],
  ['product', t('One product')],
  ['pack', t('Pack')],
  ['size', t('Size')],
  ['date', t('Uploaded')],
  ['age', t('Age')],
  ['downloaded', t('Downloads')],
  ['delivered', t('Paid by')],
  ['storage', t('Storage')],
  ['backed_up', t('Backup')],
  ['released', t('Release date')],
  ['quarantined', t('Quarantine')],
  ['connection', t('Cloud connection')],
  ['drop_account', t('Drop account')],
  ['licence_list', t('Licence keys')],
  ['contains', t('Name contains')],
  ['more', t('More conditions')],
]

const filtersOf = (field: FieldProps) =>
  FILTERS.map(([key, label, pinned = false]) => ({
    key,
    label,
    pinned,
    filter: <FilterField of={key} {...field} />,
  }))

/** The fields are loaded after the list, and before most clicks on a filter. */
function useLoadedAfter(isListed: boolean): void {
  useEffect(() => {
    if (!isListed) return undefined
    const timer = setTimeout(() => void loadFields().catch(() => undefined), IDLE_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isListed])
}

const IDLE_AFTER_MS = 2000

/**
 * The component shows filters that are applied later (by a view, or Back) only when the number of
 * its filters changes: this one, which it does not show, comes and goes for it.
 */
const UNSEEN = { key: 'unseen', label: '', filter: null, hidden: true }

/** Changes its value each time that a key is added. */
function useGains(keys: readonly string[]): boolean {
  const [known, setKnown] = useState({ keys, value: false })
  if (keys.join() !== known.keys.join())
    setKnown({
      keys,
      value: keys.some((key) => !known.keys.includes(key)) ? !known.value : known.value,
    })
  return known.value
}

/** Cards and tiles have no column headings to click. */
function Order({ sort, onSort }: { sort: FileSort; onSort: (sort: FileSort) => void }) {
  const [open, setOpen] = useState(false)
  return (
    <div style={{ paddingInlineStart: 'var(--p-space-200)' }}>
      <Popover
        active={open}
        onClose={() => setOpen(false)}
        activator={
          <Button
            icon={SortIcon}
            accessibilityLabel={t('Order of the files')}
            onClick={() => setOpen(!open)}
          />
        }
      >
        <ActionList
          actionRole="menuitem"
          items={Object.entries(FILE_SORTS).map(([key, content]) => ({
            content,
            active: key === sort,
            onAction: () => {
              setOpen(false)
              onSort(key as FileSort)
            },
          }))}
        />
      </Popover>
    </div>
  )
}

// The button that chooses the columns of the list.

const ColumnsChoice = lazyPart(async () => (await import('./columns-choice.tsx')).ColumnsChoice, {
  fallback: (
    <Spinner size="small" accessibilityLabel={t('Loading {what}', { what: t('Columns') })} />
  ),
})

interface ColumnsButtonProps {
  columns: readonly ListColumn[]
  onChange: (columns: readonly ListColumn[]) => void
}

function ColumnsButton({ columns, onChange }: ColumnsButtonProps) {
  const [open, setOpen] = useState(false)
  return (
    <div style={{ paddingInlineStart: 'var(--p-space-200)' }}>
      <Popover
        active={open}
        onClose={() => setOpen(false)}
        preferredAlignment="right"
        activator={
          <Button
            icon={ColumnsIcon}
            accessibilityLabel={t('Columns of the list')}
            onClick={() => setOpen(!open)}
          />
        }
      >
        <Box padding="400">
          <ColumnsChoice columns={columns} onChange={onChange} />
        </Box>
      </Popover>
    </div>
  )
}

// The filters that are applied to the list of files: what each says, and how it is removed.

/** The filters in the order of their labels, each with the fields of the address that remove it. */
const WITHOUT: { [key in FilterKey]: Partial<FilesUrlState> } = {
  type: { type: [] },
  tags: { tags: [] },
  mapped: { mapped: null },
  product: { product: '' },
  pack: { pack: '' },
  size: { larger_than: null, smaller_than: null },
  date: { uploaded_after: '', uploaded_before: '' },
  age: { older_than_days: null },
  downloaded: { not_downloaded_for_days: null },
  delivered: { delivered: null },
  storage: { storage: '' },
  backed_up: { backed_up: null },
  released: { released: null },
  quarantined: { quarantined: null },
  connection: { connection: '' },
  drop_account: { drop_account: '' },
  licence_list: { licence_list: '' },
  contains: { contains: '' },
  more: { more: '' },
}

/** What each filter says; null: it is not applied. */
function filterTexts(
  state: FilesUrlState,
  names: FilterNames,
): { [key in FilterKey]: string | null } {
  const { type, tags, older_than_days: age, not_downloaded_for_days: idle } = state
  const named = (key: keyof FilterNames, text: string) => (state[key] === '' ? null : text)
  const { product, pack, connection, drop_account: account, licence_list: list } = names
  return {
    type: type.length === 0 ? null : t('Type: {list}', { list: type.map(typeText).join(', ') }),
    tags: tags.length === 0 ? null : t('Tags: {list}', { list: tags.join(', ') }),
    mapped: eitherText(state.mapped, t('Mapped to a product'), t('Not mapped')),
    product: named('product', t('Product: {product}', { product })),
    pack: named('pack', t('Pack: {pack}', { pack })),
    size: sizeRange(state.larger_than, state.smaller_than),
    date: dateRange(state.uploaded_after, state.uploaded_before),
    age:
      age === null
        ? null
        : t('Uploaded more than {days, plural, one {# day} other {# days}} ago', { days: age }),
    downloaded:
      idle === null
        ? null
        : t('Not downloaded for {days, plural, one {# day} other {# days}}', { days: idle }),
    delivered: eitherText(state.delivered, t('Paid by a buyer'), t('Paid by nobody')),
    storage: state.storage === '' ? null : locationText(state.storage),
    backed_up: eitherText(state.backed_up, t('Backed up'), t('Never backed up')),
    released: eitherText(state.released, t('Released'), t('Not released yet')),
    quarantined: eitherText(state.quarantined, t('In quarantine'), t('Not in quarantine')),
    connection: named('connection', t('Cloud connection: {connection}', { connection })),
    drop_account: named('drop_account', t('Drop account: {account}', { account })),
    licence_list: named('licence_list', t('Licence keys of {list}', { list })),
    contains: state.contains === '' ? null : t('Name contains “{text}”', { text: state.contains }),
    more: state.more === '' ? null : conditionTexts(moreOf(state)).join('; '),
  }
}

const eitherText = (value: boolean | null, yes: string, no: string): string | null =>
  value === null ? null : value ? yes : no

function appliedFilters(
  state: FilesUrlState,
  go: UrlState<FilesUrlState>['go'],
  names: FilterNames,
): { key: string; label: string; onRemove: () => void }[] {
  const texts = filterTexts(state, names)
  return (Object.keys(WITHOUT) as FilterKey[]).flatMap((key) => {
    const label = texts[key]
    return label === null ? [] : [{ key, label, onRemove: () => go(WITHOUT[key]) }]
  })
}

function sizeRange(over: number | null, under: number | null): string | null {
  const sizes = { over: sizeText(over ?? 0), under: sizeText(under ?? 0) }
  if (over !== null && under !== null) return t('Size over {over}, under {under}', sizes)
  if (over !== null) return t('Size over {over}', sizes)
  return under === null ? null : t('Size under {under}', sizes)
}

function dateRange(after: string, before: string): string | null {
  const days = { after: dayText(after), before: dayText(before) }
  if (after !== '' && before !== '') return t('Uploaded after {after}, before {before}', days)
  if (after !== '') return t('Uploaded after {after}', days)
  return before === '' ? null : t('Uploaded before {before}', days)
}
