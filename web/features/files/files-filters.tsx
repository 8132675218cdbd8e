// The search field and the filters above the list, and the applied ones.
import { memo, useState } from 'react'
import { usePack } from '../packs/calls.ts'
import { FILE_SORTS, type FileSort, type FilesUrlState, withoutFilters } from './url-state.ts'
import { type UrlState } from '../../shell/url-state/use-url-state.ts'
import { useDraft } from '../../shell/url-state/use-draft.ts'
import {
  ActionList,
  Button,
  Filters,
  Popover,
  SortIcon,
  useBreakpoints,
} from '../../shell/ui/index.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { typeText } from '../../shell/files/labels.ts'
import { dayText } from '../../shell/labels/time.ts'
import {
  AgeFilter,
  DateFilter,
  DownloadedFilter,
  MappedFilter,
  PackFilter,
  SizeFilter,
  TagFilter,
  TypeFilter,
} from './filter-fields.tsx'
import { t } from '../../shell/messages/t.ts'

interface Props {
  urlState: FilesUrlState
  go: UrlState<FilesUrlState>['go']
  loading: boolean
}

/** Memoised: a tick in the list does not change it. */
export const FilesFilters = memo(function FilesFilters({ urlState, go, loading }: Props) {
  // One history entry for each search, not for each letter.
  const search = useDraft(urlState.search, (text) =>
    go({ search: text }, { replace: urlState.search !== '' && text !== '' }),
  )
  const { lgDown: narrow } = useBreakpoints()
  const pack = usePack(urlState.pack === '' ? null : urlState.pack)
  return (
    <Filters
      queryValue={search.text}
      queryPlaceholder={t('Search files')}
      onQueryChange={search.change}
      onQueryClear={search.clear}
      onClearAll={() => go(withoutFilters(urlState))}
      loading={loading}
      filters={[
        {
          key: 'type',
          label: t('Type'),
          filter: <TypeFilter urlState={urlState} go={go} />,
          pinned: true,
        },
        {
          key: 'tags',
          label: t('Tags'),
          filter: <TagFilter urlState={urlState} go={go} />,
          pinned: true,
        },
        {
          key: 'mapped',
          label: t('Products'),
          filter: <MappedFilter urlState={urlState} go={go} />,
          pinned: true,
        },
        { key: 'pack', label: t('Pack'), filter: <PackFilter urlState={urlState} go={go} /> },
        { key: 'size', label: t('Size'), filter: <SizeFilter urlState={urlState} go={go} /> },
        { key: 'date', label: t('Uploaded'), filter: <DateFilter urlState={urlState} go={go} /> },
        { key: 'age', label: t('Age'), filter: <AgeFilter urlState={urlState} go={go} /> },
        {
          key: 'downloaded',
          label: t('Downloads'),
          filter: <DownloadedFilter urlState={urlState} go={go} />,
        },
      ]}
      appliedFilters={appliedFilters(urlState, go, pack.data?.name ?? '…')}
    >
      {narrow && <Order sort={urlState.sort} onSort={(sort) => go({ sort })} />}
    </Filters>
  )
})

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

function appliedFilters(urlState: FilesUrlState, go: Props['go'], pack: string) {
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
  add('pack', urlState.pack === '' ? null : t('Pack: {pack}', { pack }), { pack: '' })
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
