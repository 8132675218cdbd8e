// Which files of the list are ticked: some of this page's, or all that match.
import { useState } from 'react'
import { type File, type Selection } from '../../client/types.ts'
import { type FilesPlace, filterOf } from '../../place/files.ts'

/** What was ticked, in the list that it was ticked in. */
export interface Ticked {
  list: string
  ids: readonly string[]
  /** All that match, on every page. */
  all: boolean
}

/** A click as the table tells it: on one row, on a range of rows with Shift, on the page's box, or on "all". */
export type Click =
  | { kind: 'one'; id: string; on: boolean }
  | { kind: 'range'; from: number; to: number; on: boolean }
  | { kind: 'page'; on: boolean }
  | { kind: 'all'; on: boolean }

/** What is ticked after a click. Taking one away from "all" leaves the rest of this page. */
export function clicked(ticked: Ticked, click: Click, shown: readonly string[]): Ticked {
  const { list } = ticked
  if (click.kind === 'all') return { list, ids: click.on ? shown : [], all: click.on }
  if (click.kind === 'page') return { list, ids: click.on ? shown : [], all: false }
  const meant = click.kind === 'one' ? [click.id] : shown.slice(click.from, click.to + 1)
  const before = ticked.all ? shown : ticked.ids
  const rest = before.filter((id) => !meant.includes(id))
  return { list, ids: click.on ? [...rest, ...meant] : rest, all: false }
}

/** What an action is about: which files, how many, and those of them that are on the screen. */
export interface Chosen {
  select: Selection
  count: number
  files: readonly File[]
}

const NONE: readonly File[] = []

/** `list`: what tells this list from any other, so that nothing unseen stays ticked. */
export function useSelection(place: FilesPlace, list: string, files: readonly File[] = NONE, total = 0) {
  const [state, setTicked] = useState<Ticked>({ list, ids: [], all: false })
  const ticked = state.list === list ? state : { list, ids: [], all: false }
  const shown = files.map(({ id }) => id)
  // What is gone from the list is no longer ticked.
  const chosen = ticked.all ? files : files.filter(({ id }) => ticked.ids.includes(id))
  return {
    isTicked: (id: string) => ticked.all || ticked.ids.includes(id),
    all: ticked.all,
    count: ticked.all ? total : chosen.length,
    chosen: {
      select: ticked.all ? { filter: filterOf(place) } : { file_ids: chosen.map(({ id }) => id) },
      count: ticked.all ? total : chosen.length,
      files: chosen,
    } satisfies Chosen,
    click: (click: Click) => setTicked(clicked(ticked, click, shown)),
    clear: () => setTicked({ list, ids: [], all: false }),
  }
}

export type FileSelection = ReturnType<typeof useSelection>
