// Clicks on rows or tiles as selections: a checkbox, a range with Shift, a row anywhere with Ctrl, Cmd
// or Shift; and Shift with the arrow keys.
import { type MouseEvent, useRef } from 'react'
import { type File } from '../../shell/client/types.ts'
import { type FileSelection } from './selection.ts'

export function useRowClicks(files: readonly File[], { isTicked, click }: FileSelection) {
  // The first row of a range, and whether Shift is held during the current click.
  const last = useRef<number | null>(null)
  const shift = useRef(false)
  // The tiles that were passed with Shift and an arrow key: the first and the last one.
  const extent = useRef<{ anchor: number; to: number } | null>(null)
  const tickRange = (from: number, to: number, on: boolean) =>
    click({ kind: 'range', from, to, on })
  const tick = (at: number, withShift: boolean) => {
    const { id } = files[at]!
    const from = withShift ? last.current : null
    if (from === null || from >= files.length) click({ kind: 'one', id, on: !isTicked(id) })
    else tickRange(from, at, !isTicked(id))
    last.current = at
  }
  const rowOf = ({ target }: MouseEvent) => {
    // Links and checkboxes handle their own clicks.
    const row =
      target instanceof Element && !target.closest('a, input, label')
        ? target.closest('tbody tr, .record-tile')
        : null
    return row ? files.findIndex(({ id }) => id === row.id) : -1
  }
  return {
    props: {
      // Shift would also select the text in between.
      onMouseDownCapture: (event: MouseEvent) => {
        if (event.shiftKey && rowOf(event) !== -1) event.preventDefault()
      },
      onClickCapture: (event: MouseEvent) => {
        shift.current = event.shiftKey
        const at = event.ctrlKey || event.metaKey || event.shiftKey ? rowOf(event) : -1
        if (at === -1) return
        event.preventDefault()
        event.stopPropagation()
        tick(at, event.shiftKey)
      },
    },
    /** A row's checkbox, or a row while others are selected; Shift ticks a range. */
    onTick: ({ id }: File) => {
      const at = files.findIndex((file) => file.id === id)
      if (at !== -1) tick(at, shift.current)
    },
    /** The focus moved with Shift: the files from where it began to `to` are ticked. */
    onExtend: (from: number, to: number) => {
      const anchor = extent.current?.to === from ? extent.current.anchor : from
      extent.current = { anchor, to }
      last.current = to
      click({ kind: 'extent', anchor, from, to })
    },
  }
}
