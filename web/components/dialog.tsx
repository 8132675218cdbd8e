// A dialog that gives the keyboard back to where it was when it closes.
import { type ComponentProps, type ReactNode, useEffect, useState } from 'react'
import { BlockStack, Modal } from '../ui/index.ts'

type ModalProps = ComponentProps<typeof Modal>

interface Props extends Pick<ModalProps, 'primaryAction' | 'secondaryActions' | 'size'> {
  title: string
  onClose: () => void
  /** Enter in one of its fields. */
  onEnter?: () => void
  children: ReactNode
}

/** Open for as long as it is drawn. */
export function Dialog({ children, onClose, onEnter, ...rest }: Props) {
  // While it is first drawn: by its effects the dialog has taken the focus.
  const [back] = useState(() => document.activeElement)
  useEffect(() => {
    return () => {
      // By the next frame the dialog's own hold on the focus is gone.
      requestAnimationFrame(() => {
        if (document.querySelector('[role="dialog"]') || !(back instanceof HTMLElement)) return
        if (back.isConnected && back !== document.body) back.focus({ preventScroll: true })
        else document.querySelector<HTMLElement>('.place')?.focus({ preventScroll: true })
      })
    }
  }, [back])
  return (
    <Modal open instant onClose={onClose} {...rest}>
      <Modal.Section>
        <Fields onEnter={onEnter}>
          <BlockStack gap="400">{children}</BlockStack>
        </Fields>
      </Modal.Section>
    </Modal>
  )
}

function Fields({ onEnter, children }: Pick<Props, 'onEnter' | 'children'>) {
  if (!onEnter) return children
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onEnter()
      }}
    >
      {children}
      {/* Enter sends the form; the button that is seen stands in the dialog’s foot. */}
      <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
    </form>
  )
}
