// A list whose rows a person puts in order: dragged by mouse or touch, moved by buttons, or by Alt
// and the arrow keys.
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { t } from '../messages/t.ts'
import { ArrowDownIcon, ArrowUpIcon, Button, DragHandleIcon, Icon, Text } from '../ui/index.ts'
import { movedTo } from './order.ts'
import { type DragState, useDrag } from './use-drag.ts'
import './sortable.css'

interface Props<T> {
  /** The accessible name of the list; absent: a heading names it. */
  label?: string
  className: string
  items: readonly T[]
  keyOf: (item: T) => string
  /** The item's name in the labels of its buttons. */
  nameOf: (item: T, at: number) => string
  onOrder: (items: readonly T[], moved: T) => void
  rowProps?: (item: T, at: number) => { id?: string; className?: string; label?: string }
  /** The content of a row; `controls` are the handle, and the buttons that move it. */
  children: (item: T, at: number, controls: SortableControls) => ReactNode
}

export interface SortableControls {
  handle: ReactNode
  buttons: ReactNode
}

export function SortableList<T>(props: Props<T>) {
  const { label, className, items, keyOf, nameOf, onOrder } = props
  const [said, setSaid] = useState('')
  const keepFocus = useKeptFocus()
  const move = (from: number, to: number) => {
    const next = movedTo(items, from, to)
    const moved = items[from]
    if (next === items || moved === undefined) return
    keepFocus()
    onOrder(next, moved)
    setSaid(
      t('{name} is number {to} of {count}', {
        name: nameOf(moved, from),
        to: to + 1,
        count: items.length,
      }),
    )
  }
  const { list, dragged, begin } = useDrag(move)
  const press = (event: KeyboardEvent, at: number) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
    if (!event.altKey || by === 0) return
    event.preventDefault()
    move(at, at + by)
  }
  return (
    <>
      <ol ref={list} className={`sortable ${className}`} aria-label={label}>
        {items.map((item, at) => {
          const { id, className: own = '', label: rowLabel } = props.rowProps?.(item, at) ?? {}
          const name = nameOf(item, at)
          const buttons = (
            <MoveButtons
              name={name}
              first={at === 0}
              last={at === items.length - 1}
              onMove={(by) => move(at, at + by)}
            />
          )
          return (
            <li
              key={keyOf(item)}
              id={id}
              tabIndex={id === undefined ? undefined : -1}
              aria-label={rowLabel}
              className={`${own} ${dropClass(dragged, at)}`.trim() || undefined}
              onKeyDown={(event) => press(event, at)}
              onPointerDown={(event) => begin(event, at)}
            >
              {props.children(item, at, { handle: HANDLE, buttons })}
            </li>
          )
        })}
      </ol>
      <Announcement text={said} />
    </>
  )
}

/** For screen readers. */
const Announcement = ({ text }: { text: string }) => (
  <div role="status">
    <Text as="span" visuallyHidden>
      {text}
    </Text>
  </div>
)

const HANDLE = (
  <span className="sortable-handle" aria-hidden="true">
    <Icon source={DragHandleIcon} tone="subdued" />
  </span>
)

/** How a row shows that it is dragged, or that the dragged row would be dropped at it. */
function dropClass(dragged: DragState | null, at: number): string {
  if (!dragged) return ''
  if (dragged.from === at) return 'sortable-dragged'
  if (dragged.to !== at) return ''
  return dragged.from < at ? 'sortable-after' : 'sortable-before'
}

interface MoveButtonsProps {
  name: string
  first: boolean
  last: boolean
  onMove: (by: -1 | 1) => void
}

const MoveButtons = ({ name, first, last, onMove }: MoveButtonsProps) => (
  <>
    <Button
      icon={ArrowUpIcon}
      variant="tertiary"
      disabled={first}
      accessibilityLabel={t('Move {name} up', { name })}
      onClick={() => onMove(-1)}
    />
    <Button
      icon={ArrowDownIcon}
      variant="tertiary"
      disabled={last}
      accessibilityLabel={t('Move {name} down', { name })}
      onClick={() => onMove(1)}
    />
  </>
)

/**
 * Keeps the focus in a row that moves: a browser takes it from an element that is moved, and from a
 * button that becomes disabled at the end of the list.
 */
function useKeptFocus(): () => void {
  const kept = useRef<HTMLElement | null>(null)
  useLayoutEffect(() => {
    const element = kept.current
    kept.current = null
    if (!element || document.activeElement === element) return
    element.focus()
    if (document.activeElement === element) return
    const others = element.closest('li')?.querySelectorAll<HTMLElement>('button:not(:disabled)')
    others?.[0]?.focus()
  })
  return () => {
    const { activeElement } = document
    kept.current =
      activeElement instanceof HTMLElement && activeElement.closest('.sortable')
        ? activeElement
        : null
  }
}
