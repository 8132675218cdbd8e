// What a list of records shows: its columns, and the lines of its cards in a narrow window.
import { type ReactNode } from 'react'

export interface Column<Row> {
  /** The heading; absent: only cards show the column. */
  title?: string
  /** The title is for screen readers only. */
  titleHidden?: boolean
  align?: 'end'
  /** Digits of the same width. */
  tabular?: boolean
  /** Cuts the cell to one line of this width in the table; hovering shows all of it. */
  cut?: { width?: string; className?: string; whole: (row: Row) => string | undefined }
  /** A long text is broken into lines in the table, so that it moves no column out of the window. */
  wraps?: boolean
  /** The order after the first click on the title; absent: the list cannot be sorted by it. */
  sort?: Direction
  cell: (row: Row) => ReactNode
  /** The content in a card, if it differs. */
  inCard?: (row: Row) => ReactNode
  /** The content in a tile, if it differs. */
  inTile?: (row: Row) => ReactNode
}

/** The columns, from left to right. */
export type Columns<Id extends string, Row> = Readonly<Record<Id, Column<Row>>>

export type Direction = 'ascending' | 'descending'

/** A column alone in a line; two of them at its ends; or short texts, separated by dots. */
export type Line<Id> =
  | Id
  | { start: Id; end: Id; wrap?: false; align?: 'start' }
  | { facts: readonly Id[] }

export interface CardLayout<Id> {
  /** The lines of the card, from top to bottom. */
  lines: readonly Line<Id>[]
  gap?: '050' | '100' | '200'
  /** Less space above and below. */
  dense?: boolean
  /** A picture in front of all lines. */
  picture?: Id
  /** Buttons after all lines. */
  buttons?: Id
}

export interface TileLayout<Id> {
  picture: Id
  /** The lines below the picture, from top to bottom. */
  lines: readonly Id[]
  /** The last line: short texts, separated by dots. */
  facts: readonly Id[]
}
