// The search field and the filters above the list, and the applied ones.
import { lazy, memo, Suspense, useEffect, useState } from 'react'
import { type File } from '../../shell/client/types.ts'
import { ColumnsButton } from './columns-button.tsx'
import { type ListColumn } from './columns.ts'
import { type FilterNames, useFilterNames } from './filter-names.ts'
import { FILE_SORTS, type FileSort, type FilesUrlState, withoutFilters } from './url-state.ts'
import { type UrlState } from '../../shell/url-state/use-url-state.ts'
import { useDraft } from '../../shell/url-state/use-draft.ts'
import {
  ActionList,
  Button,
  Filters,
  Popover,
  SortIcon,
  Spinner,
  useBreakpoints,
} from '../../shell/ui/index.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { locationText } from '../../shell/labels/storage.ts'
import { typeText } from '../../shell/files/labels.ts'
import { dayText } from '../../shell/labels/time.ts'
import { type FilterKey } from './filter-fields.tsx'
import { t } from '../../shell/messages/t.ts'

const loadFields = () => import('./filter-fields.tsx')
const FilterField = lazy(async () => ({ default: (await loadFields()).FilterField }))

interface Props {
  urlState: FilesUrlState
  go: UrlState<FilesUrlState>['go']
  loading: boolean
  /** Those of the page, the same array while they do not change. */
  files: readonly File[]
  columns: readonly ListColumn[]
  onColumns: (columns: readonly ListColumn[]) => void
}

/** Memoised: a tick in the list does not change it. */
export const FilesFilters = memo(function FilesFilters(props: Props) {
  const { urlState, go, loading, files, columns, onColumns } = props
  // One history entry for each search, not for each letter.
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
      {narrow ? (
        <Order sort={urlState.sort} onSort={(sort) => go({ sort })} />
      ) : (
        <ColumnsButton columns={columns} onChange={onColumns} />
      )}
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
  ['storage', t('Storage')],
  ['backed_up', t('Backup')],
  ['released', t('Release date')],
  ['connection', t('Cloud connection')],
  ['drop_account', t('Drop account')],
  ['licence_list', t('Licence keys')],
  ['contains', t('Name contains')],
]

const filtersOf = (field: FieldProps) =>
  FILTERS.map(([key, label, pinned = false]) => ({
    ...{ key, label, pinned },
    filter: (
      <Suspense
        fallback={
          <Spinner size="small" accessibilityLabel={t('Loading {what}', { what: label })} />
        }
      >
        <FilterField of={key} {...field} />
      </Suspense>
    ),
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

/** A narrow list has no column headings to click. */
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

function appliedFilters(urlState: FilesUrlState, go: Props['go'], names: FilterNames) {
  const list: { key: string; label: string; onRemove: () => void }[] = []
  const add = (key: string, label: string | null, without: Partial<FilesUrlState>) =>
    label !== null && list.push({ key, label, onRemove: () => go(without) })
  add(
    'type',
    urlState.type.length === 0
      ? null
      : t('Type: {list}', { list: urlState.type.map(typeText).join(', ') }),
    {
      type: [],
    },
  )
  add(
    'tags',
    urlState.tags.length === 0 ? null : t('Tags: {list}', { list: urlState.tags.join(', ') }),
    {
      tags: [],
    },
  )
  add(
    'mapped',
    urlState.mapped === null ? null : urlState.mapped ? t('Mapped to a product') : t('Not mapped'),
    { mapped: null },
  )
  const { product, pack, connection, drop_account: account, licence_list: keys } = names
  const named = (key: keyof FilterNames, text: string) =>
    add(key, urlState[key] === '' ? null : text, { [key]: '' })
  named('product', t('Product: {product}', { product }))
  named('pack', t('Pack: {pack}', { pack }))
  add('size', sizeRange(urlState.larger_than, urlState.smaller_than), {
    larger_than: null,
    smaller_than: null,
  })
  add('date', dateRange(urlState.uploaded_after, urlState.uploaded_before), {
    uploaded_after: '',
    uploaded_before: '',
  })
  const { older_than_days: age, not_downloaded_for_days: idle } = urlState
  add(
    'age',
    age === null
      ? null
      : t('Uploaded more than {days, plural, one {# day} other {# days}} ago', { days: age }),
    { older_than_days: null },
  )
  add(
    'downloaded',
    idle === null
      ? null
      : t('Not downloaded for {days, plural, one {# day} other {# days}}', { days: idle }),
    { not_downloaded_for_days: null },
  )
  add('storage', urlState.storage === '' ? null : locationText(urlState.storage), { storage: '' })
  add(
    'backed_up',
    urlState.backed_up === null ? null : urlState.backed_up ? t('Backed up') : t('Never backed up'),
    { backed_up: null },
  )
  add(
    'released',
    urlState.released === null ? null : urlState.released ? t('Released') : t('Not released yet'),
    { released: null },
  )
  named('connection', t('Cloud connection: {connection}', { connection }))
  named('drop_account', t('Drop account: {account}', { account }))
  named('licence_list', t('Licence keys of {list}', { list: keys }))
  add(
    'contains',
    urlState.contains === '' ? null : t('Name contains “{text}”', { text: urlState.contains }),
    { contains: '' },
  )
  return list
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
