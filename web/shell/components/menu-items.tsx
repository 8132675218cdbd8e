// The items of a menu in a popover, in sections with titles. They look like those of Polaris'
// ActionList and have a third of its elements: a popover draws all of them before it is shown.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { type KeyboardEvent } from 'react'
import './menu-items.css'

export interface MenuItem {
  content: string
  destructive?: boolean
  disabled?: boolean
  /** Why it is disabled. */
  helpText?: string
  onAction: () => void
}

export interface MenuSection {
  title?: string
  items: readonly MenuItem[]
}

interface Props {
  sections: readonly MenuSection[]
  /** Called before the action of the chosen item. */
  onChosen: () => void
}

export const MenuItems = ({ sections, onChosen }: Props) => (
  <div role="menu" className="menu-items" onKeyDown={moveFocus}>
    {sections
      .filter(({ items }) => items.length > 0)
      .map(({ title, items }, at) => (
        <div key={title ?? at} role="group" aria-label={title}>
          {title !== undefined && (
            <div className="menu-title" aria-hidden>
              {title}
            </div>
          )}
          {items.map((item) => (
            <Item key={item.content} item={item} onChosen={onChosen} />
          ))}
        </div>
      ))}
  </div>
)

function Item({ item, onChosen }: { item: MenuItem } & Pick<Props, 'onChosen'>) {
  const { content, helpText, disabled = false, destructive = false, onAction } = item
  const kind = `${disabled ? ' Polaris-ActionList--disabled' : ''}${destructive ? ' Polaris-ActionList--destructive' : ''}`
  return (
    <button
      type="button"
      role="menuitem"
      className={`Polaris-ActionList__Item${kind}`}
      disabled={disabled}
      onClick={() => {
        onChosen()
        onAction()
      }}
    >
      <span>
        {content}
        {helpText !== undefined && <small>{helpText}</small>}
      </span>
    </button>
  )
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** The arrow keys go from item to item and around the ends, Home and End to these. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('button:not(:disabled)')]
  const step = ownValue(STEPS, event.key)
  const at = items.findIndex((item) => item === document.activeElement)
  const to =
    step !== undefined
      ? (at + step + items.length) % items.length
      : ownValue({ Home: 0, End: items.length - 1 }, event.key)
  if (to === undefined) return
  event.preventDefault()
  items[to]?.focus()
}
