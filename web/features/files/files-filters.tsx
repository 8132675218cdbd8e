// The search field and the filters above the list, and the applied ones.
import { lazy, memo, Suspense, useEffect, useState } from 'react'
import { type File } from '../../shell/client/types.ts'
import { appliedFilters } from './applied-filters.ts'
import { ColumnsButton } from './columns-button.tsx'
import { type ListColumn } from './columns.ts'
import { useFilterNames } from './filter-names.ts'
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
import { type FilterKey } from './filter-fields.tsx'
import { t } from '../../shell/messages/t.ts'

const loadFields = () => import('./filter-fields.tsx')
const FilterField = lazy(async () => ({ default: (await loadFields()).FilterField }))

interface Props {
  urlState: FilesUrlState
  go: UrlState<FilesUrlState>['go']
  loading: boolean
  /** The files of the page; must be the same array while they do not change. */
  files: readonly File[]
  columns: readonly ListColumn[]
  onColumns: (columns: readonly ListColumn[]) => void
}

/** Memoised: a tick in the list does not change it. */
export const FilesFilters = memo(function FilesFilters(props: Props) {
  const { urlState, go, loading, files, columns, onColumns } = props
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
    key,
    label,
    pinned,
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
