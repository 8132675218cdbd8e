// A list of records from one list of columns: a table in a wide window, cards in a narrow one.
import {
  type ComponentProps,
  createContext,
  type CSSProperties,
  memo,
  type MouseEvent,
  type ReactNode,
  useContext,
  useMemo,
  useRef,
} from 'react'
import { IndexTable, RowCheckbox, Text, useBreakpoints } from '../ui/index.ts'
import { useCoveredHeadings, useSortedHeading } from './table-headings.ts'
import { RecordCard } from './record-card.tsx'
import { type RowSelection, useDrawnSelection, useRowOpening } from './record-selection.ts'
import './record-table.css'
import { useStable } from './use-stable.ts'
import { type CardLayout, type Column, type Columns, type Direction } from './record-columns.ts'

export interface SortState<Id> {
  column: Id
  direction: Direction
  onSort: (column: Id, direction: Direction) => void
}

type TableProps = ComponentProps<typeof IndexTable>

interface Props<Id extends string, Row> {
  /** The name of one row and of several. */
  names: { singular: string; plural: string }
  /** Must be the same object while nothing changes: otherwise every row is rendered again. */
  columns: Columns<Id, Row>
  card: CardLayout<Id>
  /** Its rows are cards in every window. */
  alwaysCards?: boolean
  rows: readonly Row[]
  idOf: (row: Row, position: number) => string
  selection?: RowSelection<Row>
  sorting?: SortState<Id>
}

export function RecordTable<Id extends string, Row extends object>(props: Props<Id, Row>) {
  const { names, columns, card, rows, idOf, selection, sorting, alwaysCards = false } = props
  const { lgDown } = useBreakpoints()
  const narrow = alwaysCards || lgDown
  const onRow = useRowOpening(selection)
  const shown = useMemo(() => shownOf(columns), [columns])
  const isSelectable = selection !== undefined && !narrow
  const box = useRef<HTMLDivElement>(null)
  useCoveredHeadings(box, isSelectable && selection.isSelecting, shown)
  const sorted = shown.ids
    .filter((_, at) => shown.sortable[at])
    .findIndex((id) => id === sorting?.column)
  useSortedHeading(box, sorted, sorting?.direction, shown)
  const onSort = useStable((column: Id, direction: Direction) => sorting?.onSort(column, direction))
  const isDrawnSelected = useDrawnSelection(rows, selection)
  return (
    <div ref={box}>
      {selection?.bar}
      <RowsContext.Provider
        value={rows.map((row, position) => (
          <RecordRow
            key={idOf(row, position)}
            id={idOf(row, position)}
            row={row}
            position={position}
            columns={columns}
            card={narrow ? card : null}
            selected={isDrawnSelected(position)}
            label={selection?.label}
            onTick={selection?.onTick}
            onRow={onRow}
          />
        ))}
      >
        <TableFrame
          names={names}
          shown={shown}
          narrow={narrow}
          onSort={onSort}
          count={rows.length}
          onPage={isSelectable ? selection.onPage : undefined}
          sorted={narrow ? undefined : sorting?.column}
          direction={sorting?.direction}
        />
      </RowsContext.Provider>
    </div>
  )
}

/** The rows reach the table past its headings, which are not rendered when a row changes. */
const RowsContext = createContext<ReactNode>(null)
const ShownRows = () => <>{useContext(RowsContext)}</>

interface FrameProps<Id> {
  names: Props<string, unknown>['names']
  shown: ShownColumns<Id>
  narrow: boolean
  count: number
  /** Absent: the rows have no checkboxes. */
  onPage: (() => void) | undefined
  /** Absent: the rows cannot be sorted. */
  sorted: Id | undefined
  direction: Direction | undefined
  onSort: (column: Id, direction: Direction) => void
}

function PlainTableFrame<Id>(props: FrameProps<Id>) {
  const { names, shown, narrow, count, onPage, sorted, direction, onSort } = props
  return (
    <IndexTable
      resourceName={names}
      itemCount={count}
      selectable={onPage !== undefined}
      condensed={narrow}
      headings={shown.headings}
      onSelectionChange={onPage}
      {...(sorted !== undefined && direction !== undefined
        ? sortingProps(shown, { column: sorted, direction, onSort })
        : {})}
    >
      <ShownRows />
    </IndexTable>
  )
}

const TableFrame = memo(PlainTableFrame) as typeof PlainTableFrame

interface ShownColumns<Id> {
  ids: readonly Id[]
  headings: TableProps['headings']
  sortable: boolean[]
}

/** The columns of the table, without those that only cards show. */
function shownOf<Id extends string, Row>(columns: Columns<Id, Row>): ShownColumns<Id> {
  const titled = entriesOf(columns).flatMap(([id, { title, ...column }]) =>
    title === undefined ? [] : [{ id, title, ...column }],
  )
  const [first, ...rest] = titled.map(({ title, titleHidden, align, sort }) => ({
    title,
    hidden: titleHidden,
    alignment: align,
    defaultSortDirection: sort,
  }))
  if (first === undefined) throw new Error('A table needs a column with a title')
  return {
    ids: titled.map(({ id }) => id),
    headings: [first, ...rest],
    sortable: titled.map(({ sort }) => sort !== undefined),
  }
}

const entriesOf = <Id extends string, Row>(columns: Columns<Id, Row>) =>
  Object.entries(columns) as [Id, Column<Row>][]

function sortingProps<Id>({ ids, sortable }: ShownColumns<Id>, sorting: SortState<Id>) {
  return {
    sortable,
    sortColumnIndex: ids.indexOf(sorting.column),
    sortDirection: sorting.direction,
    onSort: (at: number, direction: Direction) => {
      const column = ids[at]
      if (column !== undefined) sorting.onSort(column, direction)
    },
  }
}

interface RowProps<Id extends string, Row> {
  id: string
  row: Row
  position: number
  columns: Columns<Id, Row>
  /** null: a row of the table. */
  card: CardLayout<Id> | null
  selected: boolean
  label: ((row: Row) => string) | undefined
  onTick: ((row: Row, on: boolean) => void) | undefined
  /** A click in a row of a table with checkboxes. */
  onRow: (row: Row, event: MouseEvent<HTMLElement>) => void
}

function PlainRow<Id extends string, Row>(props: RowProps<Id, Row>) {
  const { id, row, position, columns, card, selected, label, onRow } = props
  if (card)
    return (
      <IndexTable.Row id={id} position={position} selected={selected}>
        <RecordCard row={row} columns={columns} layout={card} checkbox={checkboxOf(props)} />
      </IndexTable.Row>
    )
  const cells = <Cells columns={columns} row={row} />
  if (!label)
    return (
      <IndexTable.Row id={id} position={position}>
        {cells}
      </IndexTable.Row>
    )
  // Not the table's own row: its checkboxes are all drawn again when the number of selected rows
  // changes.
  return (
    <tr
      id={id}
      className={`Polaris-IndexTable__TableRow record-row ${selected ? 'Polaris-IndexTable__TableRow--selected' : ''}`}
      onClick={(event) => onRow(row, event)}
    >
      <td className="Polaris-IndexTable__TableCell Polaris-IndexTable__TableCell--first tick-cell">
        {checkboxOf(props)}
      </td>
      {cells}
    </tr>
  )
}

/** Memoised: a tick renders only its row, and of it only the checkbox. */
const RecordRow = memo(PlainRow) as typeof PlainRow
const Cells = memo(PlainCells) as typeof PlainCells

function PlainCells<Id extends string, Row>({
  columns,
  row,
}: Pick<RowProps<Id, Row>, 'columns' | 'row'>) {
  return (
    <>
      {entriesOf(columns).map(([column, { title, ...cell }]) =>
        title === undefined ? null : <RowCell key={column} column={cell} row={row} />,
      )}
    </>
  )
}

function RowCell<Row>({ column, row }: { column: Omit<Column<Row>, 'title'>; row: Row }) {
  const { align, tabular, wraps, cut, cell } = column
  const className = [tabular && 'tabular', wraps && 'wraps'].filter(Boolean).join(' ')
  return (
    <IndexTable.Cell className={className}>
      {align === 'end' ? (
        <Text as="span" alignment="end" numeric>
          {cell(row)}
        </Text>
      ) : cut ? (
        <Cut cut={cut} row={row}>
          {cell(row)}
        </Cut>
      ) : (
        cell(row)
      )}
    </IndexTable.Cell>
  )
}

function Cut<Row>({
  cut,
  row,
  children,
}: {
  cut: NonNullable<Column<Row>['cut']>
  row: Row
  children: ReactNode
}) {
  return (
    <span
      className={`cut ${cut.className ?? ''}`}
      style={cut.width === undefined ? undefined : ({ '--cut': cut.width } as CSSProperties)}
      title={cut.whole(row)}
    >
      {children}
    </span>
  )
}

/** A card is a link to its record; its checkbox is not. */
const checkboxOf = <Id extends string, Row>({ row, selected, label, onTick }: RowProps<Id, Row>) =>
  label &&
  onTick && (
    <span onClick={(event) => event.stopPropagation()}>
      <RowCheckbox label={label(row)} checked={selected} onChange={(on) => onTick(row, on)} />
    </span>
  )
