// The files of one page, as a table, as cards, or as a grid of pictures, with the selection.
import { useMemo } from 'react'
import { type File } from '../../shell/client/types.ts'
import { type ListColumn } from './columns.ts'
import { CARD, columnsOf, TILE } from './file-columns.tsx'
import { type ListLayout } from './layout.ts'
import { type FileSort } from './url-state.ts'
import { type RowSelection } from '../../shell/components/record-selection.ts'
import { RecordTable } from '../../shell/components/record-table.tsx'
import { RecordTiles } from '../../shell/components/record-tiles.tsx'
import { type SelectionMenu } from '../../shell/components/selection-bar.tsx'
import { useStable } from '../../shell/components/use-stable.ts'
import { useBreakpoints } from '../../shell/ui/index.ts'
import { SelectedBar } from './selected-bar.tsx'
import { useRowClicks } from './row-clicks.ts'
import { type FileSelection } from './selection.ts'
import { columnOf, sortFor } from './sorting.ts'
import './files-table.css'
import { t } from '../../shell/messages/t.ts'

interface Props {
  files: readonly File[]
  /** The number of files on all pages. */
  total: number
  /** False: there are more. */
  isExact: boolean
  /** Files in the trash have no page of their own. */
  trash: boolean
  /** The words that were searched for. */
  find: string
  /** The columns after the name; must be the same array while they do not change. */
  columns: readonly ListColumn[]
  layout: ListLayout
  selection: FileSelection
  menu: SelectionMenu
  sort: FileSort
  onSort: (sort: FileSort) => void
}

export function FilesTable(props: Props) {
  const { files, trash, find, columns: shown, layout, selection, sort, onSort } = props
  const { lgDown: narrow } = useBreakpoints()
  const clicks = useRowClicks(files, selection)
  const [column, direction] = columnOf(sort)
  const columns = useMemo(() => columnsOf(trash, find, shown), [trash, find, shown])
  const isGrid = layout === 'grid'
  const inTable = useTableSelection(props, narrow, clicks)
  return (
    <div {...(narrow && !isGrid ? {} : clicks.props)}>
      {isGrid ? (
        <RecordTiles
          label={t('Files')}
          columns={columns}
          tile={TILE}
          rows={files}
          idOf={idOf}
          selection={inTable}
        />
      ) : (
        <RecordTable
          names={NAMES}
          columns={columns}
          card={CARD}
          rows={files}
          idOf={idOf}
          selection={inTable}
          sorting={{
            column,
            direction,
            onSort: (chosen, towards) => onSort(sortFor(chosen, towards)),
          }}
        />
      )}
    </div>
  )
}

const idOf = ({ id }: File): string => id
const NAMES = { singular: t('file'), plural: t('files') }

const labelOf = ({ filename }: File): string => t('Select {filename}', { filename })

function useTableSelection(
  { files, total, isExact, layout, selection, menu }: Props,
  narrow: boolean,
  { onTick, onExtend }: ReturnType<typeof useRowClicks>,
): RowSelection<File> {
  const onPage = useStable(() =>
    selection.click({ kind: 'page', on: selection.onPage < files.length }),
  )
  return {
    isSelected: ({ id }) => selection.isTicked(id),
    isSelecting: selection.count > 0,
    label: labelOf,
    onTick: useStable((file, on) =>
      narrow && layout === 'list'
        ? selection.click({ kind: 'one', id: file.id, on })
        : onTick(file),
    ),
    onPage,
    onExtend,
    bar: (
      <SelectedBar
        selection={selection}
        total={total}
        isExact={isExact}
        menu={menu}
        narrow={narrow}
        overHeadings={!narrow && layout === 'list'}
        onPage={onPage}
        shown={files.length}
      />
    ),
  }
}
