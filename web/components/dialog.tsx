// A dialog that gives the keyboard back to where it was when it closes.
import { type ComponentProps, type ReactNode, useEffect, useState } from 'react'
import { BlockStack, Modal } from '../ui/index.ts'

type ModalProps = ComponentProps<typeof Modal>

interface Props extends Pick<ModalProps, 'primaryAction' | 'secondaryActions' | 'size'> {
  title: string
  onClose: () => void
  children: ReactNode
}

/** Open for as long as it is drawn. */
export function Dialog({ children, onClose, ...rest }: Props) {
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
        <BlockStack gap="400">{children}</BlockStack>
      </Modal.Section>
    </Modal>
  )
}
