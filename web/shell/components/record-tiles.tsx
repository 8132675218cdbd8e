// A list of records as tiles with pictures, from the same columns and selection as its table
// (record-table.tsx). The arrow keys move between the tiles, with Shift they select them.
import { type KeyboardEvent, memo, type MouseEvent, type ReactNode } from 'react'
import { RowCheckbox, Text } from '../ui/index.ts'
import { t } from '../messages/t.ts'
import { type Columns, type TileLayout } from './record-columns.ts'
import { type RowSelection, useDrawnSelection, useRowOpening } from './record-selection.ts'
import { tileAfter } from './tile-moves.ts'
import './record-tiles.css'

interface Props<Id extends string, Row> {
  /** What the records are called, for screen readers. */
  label: string
  /** Must be the same object while nothing changes: otherwise every tile is rendered again. */
  columns: Columns<Id, Row>
  tile: TileLayout<Id>
  rows: readonly Row[]
  idOf: (row: Row) => string
  selection: RowSelection<Row>
}

export function RecordTiles<Id extends string, Row extends object>(props: Props<Id, Row>) {
  const { label, columns, tile, rows, idOf, selection } = props
  const onTile = useRowOpening(selection)
  const isDrawnSelected = useDrawnSelection(rows, selection)
  return (
    <>
      {selection.bar}
      <ul
        className="record-tiles"
        aria-label={label}
        onKeyDown={(event) => onTileKey(event, selection.onExtend)}
      >
        {rows.map((row, position) => (
          <RecordTile
            key={idOf(row)}
            id={idOf(row)}
            row={row}
            columns={columns}
            tile={tile}
            selected={isDrawnSelected(position)}
            label={selection.label}
            onTick={selection.onTick}
            onTile={onTile}
          />
        ))}
      </ul>
    </>
  )
}

/** Tiles without content while a list is loaded. */
export const LoadingTiles = ({ what }: { what: string }) => (
  <div
    className="record-tiles loading-rows"
    role="status"
    aria-label={t('Loading {what}', { what })}
  >
    {Array.from({ length: 12 }, (_, tile) => (
      <div key={tile} className="tile-loading" />
    ))}
  </div>
)

interface TileProps<Id extends string, Row> {
  id: string
  row: Row
  columns: Columns<Id, Row>
  tile: TileLayout<Id>
  selected: boolean
  label: (row: Row) => string
  onTick: (row: Row, on: boolean) => void
  onTile: (row: Row, event: MouseEvent<HTMLElement>) => void
}

function PlainTile<Id extends string, Row>(props: TileProps<Id, Row>) {
  const { id, row, columns, tile, selected, label, onTick, onTile } = props
  const partOf = (column: Id): ReactNode => (columns[column].inTile ?? columns[column].cell)(row)
  const facts = tile.facts.map(partOf).filter((fact) => fact !== null && fact !== '')
  return (
    <li
      id={id}
      className={`record-tile ${selected ? 'selected' : ''}`}
      onClick={(event) => onTile(row, event)}
    >
      <span className="tile-tick tick-cell">
        <RowCheckbox label={label(row)} checked={selected} onChange={(on) => onTick(row, on)} />
      </span>
      <div className="tile-picture">{partOf(tile.picture)}</div>
      <div className="tile-lines">
        {tile.lines.map((column) => (
          <div key={column}>{partOf(column)}</div>
        ))}
        <div className="tile-facts">
          {facts.map((fact, at) => (
            <Text key={at} as="span" variant="bodySm" tone="subdued">
              {fact}
            </Text>
          ))}
        </div>
      </div>
    </li>
  )
}

/** Memoised: a tick renders only its tile. */
const RecordTile = memo(PlainTile) as typeof PlainTile

/** The key of a tile's link or checkbox: the focus moves to the same of another tile. */
function onTileKey(
  event: KeyboardEvent<HTMLUListElement>,
  onExtend: RowSelection<never>['onExtend'],
): void {
  const { target, currentTarget: list, key, shiftKey } = event
  if (!(target instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey) return
  const part = target.matches('input') ? 'input' : target.matches('a') ? 'a' : null
  const at = [...list.children].findIndex((tile) => tile.contains(target))
  if (part === null || at === -1) return
  if (key === ' ' && part === 'a') {
    event.preventDefault()
    const click = new window.MouseEvent('click', { shiftKey, bubbles: true, cancelable: true })
    list.children[at]?.querySelector('input')?.dispatchEvent(click)
    target.focus()
    return
  }
  const to = tileAfter(key, at, shapeOf(list))
  if (to === null) return
  event.preventDefault()
  if (shiftKey && to !== at) onExtend?.(at, to)
  list.children[to]?.querySelector<HTMLElement>(part)?.focus()
}

function shapeOf(list: HTMLElement) {
  const tiles = [...list.children] as HTMLElement[]
  const second = tiles.findIndex(({ offsetTop }) => offsetTop !== tiles[0]?.offsetTop)
  return {
    tiles: tiles.length,
    columns: second === -1 ? tiles.length : second,
    rightToLeft: getComputedStyle(list).direction === 'rtl',
  }
}
