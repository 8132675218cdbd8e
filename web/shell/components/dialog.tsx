// A dialog that focuses its first field when it opens, and returns the focus when it closes.
import {
  type ComponentProps,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react'
import { BlockStack, Hint, Modal } from '../ui/index.ts'
import { openers } from './openers.ts'
import { t } from '../messages/t.ts'

type ModalProps = ComponentProps<typeof Modal>

interface Props extends Pick<ModalProps, 'primaryAction' | 'secondaryActions' | 'size'> {
  title: string
  /** Why its button cannot be pressed yet; null: it can. */
  why?: string | null
  /** Without `secondaryActions`, a dialog whose button does more than close it has Cancel. */
  onClose: () => void
  /** Enter was pressed in one of its fields, while its button can be pressed. */
  onEnter?: () => void
  children: ReactNode
}

/** Open while it is rendered. */
export function Dialog({ children, onClose, onEnter, primaryAction: button, why, ...rest }: Props) {
  const primaryAction = why && button ? { ...button, disabled: true } : button
  // Read during the first render: the dialog's effects move the focus.
  const [back] = useState(openers)
  useEffect(() => {
    return () => {
      // The dialog's own focus trap has ended in the next frame.
      requestAnimationFrame(() => {
        // Another dialog is open, or what the dialog started has taken the focus.
        if (document.querySelector('[role="dialog"]')) return
        if (document.activeElement !== document.body) return
        // The bar of the selection is hidden when nothing is selected any more.
        const there = back.find((element) => element.checkVisibility({ visibilityProperty: true }))
        const target = there ?? document.querySelector<HTMLElement>('.place')
        target?.focus({ preventScroll: true })
      })
    }
  }, [back])
  const box = useRef<HTMLDivElement>(null)
  // Escape reaches every open dialog: it closes the one in front alone.
  const closeTopmost = () => {
    const front = [...document.querySelectorAll('[role="dialog"]')].at(-1)
    if (!front || front.contains(box.current)) onClose()
  }
  return (
    <Modal
      open
      instant
      onClose={closeTopmost}
      primaryAction={primaryAction}
      secondaryActions={
        primaryAction && primaryAction.onAction !== onClose
          ? [{ content: t('Cancel'), onAction: onClose }]
          : undefined
      }
      {...rest}
    >
      <Modal.Section>
        <FirstFieldFocused box={box}>
          <Fields onEnter={isReady(primaryAction) ? onEnter : undefined}>
            <BlockStack gap="400">
              {children}
              {why && <Hint>{why}</Hint>}
            </BlockStack>
          </Fields>
        </FirstFieldFocused>
      </Modal.Section>
    </Modal>
  )
}

/** A button that waits for an answer is not pressed a second time, nor is a disabled one. */
const isReady = (button: Props['primaryAction']): boolean =>
  button?.loading !== true && button?.disabled !== true

/** Focuses the first field if there is one, unless the focus is already in the dialog. */
function FirstFieldFocused({
  box: fields,
  children,
}: {
  box: RefObject<HTMLDivElement>
  children: ReactNode
}) {
  useEffect(() => {
    const box = fields.current!
    // Runs before the effect in which Polaris focuses the dialog itself, which then does nothing.
    if (focusFirstField(box)) return
    // Some dialogs render their fields after an answer. A focus that has moved in the meantime is
    // left unchanged.
    const watch = new MutationObserver(() => {
      const { activeElement: at } = document
      if (at !== document.body && at?.getAttribute('role') !== 'dialog') watch.disconnect()
      else if (focusFirstField(box)) watch.disconnect()
    })
    watch.observe(box, { childList: true, subtree: true })
    return () => watch.disconnect()
  }, [fields])
  return <div ref={fields}>{children}</div>
}

const FIELDS = ['input:not([type="hidden"], [type="file"])', 'select', 'textarea']
  .map((field) => `${field}:not(:disabled, [readonly])`)
  .join(', ')

/** What is typed into a radio button or a checkbox is lost. */
const TEXT_FIELDS = ['input[type="text"]', 'input[type="url"]', 'input:not([type])', 'textarea']
  .map((field) => `${field}:not(:disabled, [readonly])`)
  .join(', ')

/**
 * Focuses the first field for text, else the first field; of radio buttons the checked one. False:
 * there is no field.
 */
function focusFirstField(box: HTMLElement): boolean {
  if (box.contains(document.activeElement)) return true
  const field =
    box.querySelector<HTMLInputElement>(TEXT_FIELDS) ?? box.querySelector<HTMLInputElement>(FIELDS)
  if (!field) return false
  const name = field.type === 'radio' ? `input[name="${CSS.escape(field.name)}"]:checked` : null
  const chosen = name === null ? null : box.querySelector<HTMLInputElement>(name)
  ;(chosen ?? field).focus()
  return true
}

/** Always a form: a dialog that becomes destructive must not draw its fields again. */
function Fields({ onEnter, children }: Pick<Props, 'onEnter' | 'children'>) {
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onEnter?.()
      }}
    >
      {children}
      {/* Enter sends the form; its visible button is in the dialog’s footer. */}
      <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
    </form>
  )
}
