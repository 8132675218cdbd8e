// The bar of the selected rows: how many they are, and the actions on them. It takes the place of a
// table's headings, and is above cards and tiles. It is drawn with the list: the first tick only shows it.
import { memo, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { Button, Checkbox, Icon, MoreIcon, Popover } from '../ui/index.ts'
import { type MenuItem, MenuItems, type MenuSection } from './menu-items.tsx'
import './selection-bar.css'
import { t } from '../messages/t.ts'

export interface SelectionMenu {
  /** Buttons next to the menu, as many as there is room for. */
  foremost: readonly MenuItem[]
  groups: readonly MenuSection[]
}

interface Props {
  /** How many rows are selected, on this page and others. */
  count: number
  /** This number in words. */
  text: string
  /** Whether the rows of this page are selected. */
  page: boolean | 'indeterminate'
  onPage: () => void
  /** Selects more than the page, or no more than it. */
  wider: { content: string; onAction: () => void } | null
  menu: SelectionMenu
  /** It has one menu of all actions, without buttons beside it. */
  narrow: boolean
  /** It is shown in place of the headings of a table while rows are selected; otherwise always. */
  overHeadings: boolean
}

export function SelectionBar(props: Props) {
  const { count, text, page, onPage, wider, menu, narrow, overHeadings } = props
  const isEmpty = count === 0
  const more = wider && (
    <div className="wider">
      <Button variant="plain" size={narrow ? 'medium' : 'micro'} onClick={wider.onAction}>
        {wider.content}
      </Button>
    </div>
  )
  return (
    <div
      className={[
        'selection-bar',
        !narrow && 'one-line',
        overHeadings && 'over-headings',
        isEmpty && 'empty',
      ]
        .filter(Boolean)
        .join(' ')}
    >
      <Checkbox
        label={t('Select all on this page')}
        labelHidden={overHeadings || !isEmpty}
        checked={page}
        onChange={onPage}
      />
      {/* Always there, so that a screen reader says how the number changes. */}
      <span role="status" className="selected-count" onClick={onPage}>
        {isEmpty ? '' : text}
      </span>
      {!narrow && more}
      <Actions menu={menu} narrow={narrow} />
      {narrow && more}
    </div>
  )
}

function Actions({ menu, narrow }: Pick<Props, 'menu' | 'narrow'>) {
  const { foremost, groups } = menu
  const [fitting, setFitting] = useState(Infinity)
  const shown = narrow ? 0 : Math.min(fitting, foremost.length)
  return (
    <div className="selected-actions">
      {!narrow && <Buttons actions={foremost} shown={shown} onFitting={setFitting} />}
      <ActionMenu
        sections={[{ items: foremost.slice(shown) }, ...groups]}
        hasButtons={shown > 0}
        narrow={narrow}
      />
    </div>
  )
}

interface ButtonsProps {
  actions: readonly MenuItem[]
  /** How many of them have room. */
  shown: number
  onFitting: (count: number) => void
}

/** Memoised: a tick changes the number of files, and rarely what can be done with them. */
const Buttons = memo(function Buttons({ actions, shown, onFitting }: ButtonsProps) {
  const row = useRef<HTMLDivElement>(null)
  useFitting(row, actions.map(({ content }) => content).join('\n'), onFitting)
  return (
    <div className="foremost" ref={row}>
      {actions.map(({ content, helpText, destructive, disabled, onAction }, at) => (
        <span key={content} title={helpText} className={at < shown ? undefined : 'unfit'}>
          <Button
            size="micro"
            tone={destructive ? 'critical' : undefined}
            disabled={disabled}
            onClick={onAction}
          >
            {content}
          </Button>
        </span>
      ))}
    </div>
  )
})

/**
 * Tells how many of the first elements in a row that wraps are in its first line. The browser
 * measures them after it has drawn the list, and again when the room for them changes.
 */
function useFitting(
  row: RefObject<HTMLElement>,
  names: string,
  onFitting: (count: number) => void,
): void {
  useEffect(() => {
    const root = row.current
    if (!root) return
    const outside = new Set<Element>()
    const children = [...root.children]
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, intersectionRatio } of entries)
          if (intersectionRatio < MOSTLY) outside.add(target)
          else outside.delete(target)
        const first = children.findIndex((child) => outside.has(child))
        onFitting(first === -1 ? Infinity : first)
      },
      { root, threshold: MOSTLY },
    )
    for (const child of children) observer.observe(child)
    return () => observer.disconnect()
  }, [row, names, onFitting])
}

const MOSTLY = 0.9

interface ActionMenuProps {
  sections: readonly MenuSection[]
  /** Other actions are buttons beside the menu. */
  hasButtons: boolean
  narrow: boolean
}

function ActionMenu({ sections, hasButtons, narrow }: ActionMenuProps) {
  const [open, setOpen] = useState(false)
  const activator = useMemo(() => {
    const toggle = () => setOpen((before) => !before)
    if (!hasButtons)
      return (
        <Button size={narrow ? 'medium' : 'micro'} disclosure onClick={toggle}>
          {t('Actions')}
        </Button>
      )
    const name = t('More actions')
    const icon = <Icon source={MoreIcon} tone="base" />
    return (
      <span className="more-actions" title={name}>
        <Button size="micro" icon={icon} accessibilityLabel={name} onClick={toggle} />
      </span>
    )
  }, [hasButtons, narrow])
  if (sections.every(({ items }) => items.length === 0)) return null
  return (
    <Popover
      active={open}
      onClose={() => setOpen(false)}
      preferredAlignment="right"
      autofocusTarget="first-node"
      ariaHaspopup="menu"
      activator={activator}
    >
      <MenuItems sections={sections} onChosen={() => setOpen(false)} />
    </Popover>
  )
}
