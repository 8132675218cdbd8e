// The search field and the filters above the list, and what of them applies.
import { useState } from 'react'
import { usePack } from '../../client/packs.ts'
import { FILE_SORTS, type FileSort, type FilesPlace, widened } from '../../url-state/files.ts'
import { type UrlState } from '../../url-state/use-url-state.ts'
import { useDraft } from '../../url-state/use-draft.ts'
import { ActionList, Button, Filters, Popover, SortIcon, useBreakpoints } from '../../ui/index.ts'
import { countText, sizeText } from '../../labels/size.ts'
import { typeText } from '../../labels/file.ts'
import { dayText } from '../../labels/time.ts'
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

interface Props {
  place: FilesPlace
  go: UrlState<FilesPlace>['go']
  loading: boolean
}

export function FilesFilters({ place, go, loading }: Props) {
  // One step for the back button a search, not one a letter.
  const search = useDraft(place.search, (text) =>
    go({ search: text }, { replace: place.search !== '' && text !== '' }),
  )
  const { lgDown: narrow } = useBreakpoints()
  const pack = usePack(place.pack === '' ? null : place.pack)
  return (
    <Filters
      queryValue={search.text}
      queryPlaceholder="Search files"
      onQueryChange={search.change}
      onQueryClear={search.clear}
      onClearAll={() => go(widened(place))}
      loading={loading}
      filters={[
        { key: 'type', label: 'Type', filter: <TypeFilter place={place} go={go} />, pinned: true },
        { key: 'tags', label: 'Tags', filter: <TagFilter place={place} go={go} />, pinned: true },
        {
          key: 'mapped',
          label: 'Products',
          filter: <MappedFilter place={place} go={go} />,
          pinned: true,
        },
        { key: 'pack', label: 'Pack', filter: <PackFilter place={place} go={go} /> },
        { key: 'size', label: 'Size', filter: <SizeFilter place={place} go={go} /> },
        { key: 'date', label: 'Uploaded', filter: <DateFilter place={place} go={go} /> },
        { key: 'age', label: 'Age', filter: <AgeFilter place={place} go={go} /> },
        {
          key: 'downloaded',
          label: 'Downloads',
          filter: <DownloadedFilter place={place} go={go} />,
        },
      ]}
      appliedFilters={applied(place, go, pack.data?.name ?? '…')}
    >
      {narrow && <Order sort={place.sort} onSort={(sort) => go({ sort })} />}
    </Filters>
  )
}

/** A narrow list has no headings to click. */
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
            accessibilityLabel="Order of the files"
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

function applied(place: FilesPlace, go: Props['go'], pack: string) {
  const list: { key: string; label: string; onRemove: () => void }[] = []
  const add = (key: string, label: string | null, without: Partial<FilesPlace>) =>
    label !== null && list.push({ key, label, onRemove: () => go(without) })
  add('type', place.type.length === 0 ? null : `Type: ${place.type.map(typeText).join(', ')}`, {
    type: [],
  })
  add('tags', place.tags.length === 0 ? null : `Tags: ${place.tags.join(', ')}`, { tags: [] })
  add(
    'mapped',
    place.mapped === null ? null : place.mapped ? 'Mapped to a product' : 'Not mapped',
    { mapped: null },
  )
  add('pack', place.pack === '' ? null : `Pack: ${pack}`, { pack: '' })
  add('size', between('Size', place.larger_than, place.smaller_than, sizeText, ['over', 'under']), {
    larger_than: null,
    smaller_than: null,
  })
  add(
    'date',
    between('Uploaded', place.uploaded_after, place.uploaded_before, dayText, ['after', 'before']),
    {
      uploaded_after: '',
      uploaded_before: '',
    },
  )
  const { older_than_days: age, not_downloaded_for_days: idle } = place
  const days = (count: number) => countText(count, 'day', 'days')
  add('age', age === null ? null : `Uploaded more than ${days(age)} ago`, { older_than_days: null })
  add('downloaded', idle === null ? null : `Not downloaded for ${days(idle)}`, {
    not_downloaded_for_days: null,
  })
  return list
}

function between<T>(
  name: string,
  from: T | null | '',
  to: T | null | '',
  text: (value: T) => string,
  words: [string, string],
): string | null {
  const parts: string[] = []
  if (from !== null && from !== '') parts.push(`${words[0]} ${text(from)}`)
  if (to !== null && to !== '') parts.push(`${words[1]} ${text(to)}`)
  return parts.length === 0 ? null : `${name} ${parts.join(', ')}`
}
