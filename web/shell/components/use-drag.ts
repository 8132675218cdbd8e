// Dragging the rows of a list by pointer events, which mouse, pen and touch have in common. A finger
// drags by the handle only, because elsewhere it scrolls the page.
import { type PointerEvent as ReactPointerEvent, useEffect, useRef, useState } from 'react'
import { placeAt } from './order.ts'

export interface DragState {
  from: number
  /** The place that it would get if it were dropped now. */
  to: number
}

const CONTROLS = 'a, button, input, select, textarea, label, [contenteditable], [data-no-drag]'
/** A shorter movement is a click. */
const BEGINS_AFTER_PX = 5
/** Nearer to the edge of the visible part the page scrolls. */
const EDGE_PX = 48
const SCROLL_PX = 12

/**
 * `begin` starts to follow the pointer on one row of `list`; `dragged` says where the row is now.
 * @param onDrop called when the row is dropped at another or the same place, not if Escape is pressed
 */
export function useDrag(onDrop: (from: number, to: number) => void) {
  const list = useRef<HTMLOListElement>(null)
  const [dragged, setDragged] = useState<DragState | null>(null)
  const stop = useRef<() => void>(() => {})
  useEffect(() => () => stop.current(), [])
  const begin = (event: ReactPointerEvent, from: number) => {
    const { target, pointerType, button, clientY, pointerId } = event
    if (button !== 0 || !(target instanceof Element)) return
    const handle = target.closest('.sortable-handle')
    if (!handle && (pointerType === 'touch' || target.closest(CONTROLS))) return
    if (target.closest('.sortable') !== list.current) return
    let last: DragState | null = null
    let y = clientY
    let frame = 0
    const look = () => {
      const rows = [...(list.current?.children ?? [])].map((row) => row.getBoundingClientRect())
      const to = placeAt(rows, from, y)
      if (last?.to !== to) setDragged((last = { from, to }))
    }
    const follow = () => {
      if (scrollNear(list.current, y)) look()
      frame = requestAnimationFrame(follow)
    }
    const move = (moved: PointerEvent) => {
      y = moved.clientY
      if (last === null) {
        if (Math.abs(y - clientY) < BEGINS_AFTER_PX) return
        document.body.classList.add('sorting')
        document.getSelection()?.removeAllRanges()
        follow()
      }
      look()
    }
    const end = (dropped: boolean) => {
      stop.current = () => {}
      cancelAnimationFrame(frame)
      listening.abort()
      document.body.classList.remove('sorting')
      setDragged(null)
      if (dropped && last) onDropNow.current(last.from, last.to)
    }
    const listening = listen(pointerId, { move, end, isDragging: () => last !== null })
    stop.current = () => end(false)
  }
  // The list may be rendered again while a row is dragged.
  const onDropNow = useRef(onDrop)
  useEffect(() => {
    onDropNow.current = onDrop
  })
  return { list, dragged, begin }
}

interface Gesture {
  move: (event: PointerEvent) => void
  end: (dropped: boolean) => void
  isDragging: () => boolean
}

/** Follows one pointer, and the Escape key, until it is aborted. */
function listen(pointerId: number, { move, end, isDragging }: Gesture): AbortController {
  const listening = new AbortController()
  const { signal } = listening
  const isOurs = (event: PointerEvent) => event.pointerId === pointerId
  addEventListener('pointermove', (moved) => isOurs(moved) && move(moved), { signal })
  addEventListener('pointerup', (up) => isOurs(up) && end(true), { signal })
  addEventListener('pointercancel', () => end(false), { signal })
  const cancel = (key: KeyboardEvent) => {
    if (key.key !== 'Escape' || !isDragging()) return
    // A dialog around the list stays open.
    key.stopPropagation()
    end(false)
  }
  addEventListener('keydown', cancel, { signal, capture: true })
  return listening
}

/** Scrolls what contains the list if the pointer is near its edge. Returns whether it did. */
function scrollNear(list: Element | null, y: number): boolean {
  const area = scrollerOf(list)
  const page = area === document.scrollingElement
  const box = area.getBoundingClientRect()
  const [top, bottom] = page
    ? [0, innerHeight]
    : [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)]
  const by = y < top + EDGE_PX ? -SCROLL_PX : y > bottom - EDGE_PX ? SCROLL_PX : 0
  if (by === 0) return false
  const before = area.scrollTop
  area.scrollTop += by
  return area.scrollTop !== before
}

function scrollerOf(list: Element | null): Element {
  for (let area = list; area; area = area.parentElement) {
    const { overflowY } = getComputedStyle(area)
    if ((overflowY === 'auto' || overflowY === 'scroll') && area.scrollHeight > area.clientHeight)
      return area
  }
  return document.scrollingElement ?? document.documentElement
}
