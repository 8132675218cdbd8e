// A dialog of the browser, for what opens by a key on every page.
import { type ReactNode, useEffect, useRef } from 'react'
import './palette.css'

interface NativeDialogProps {
  label: string
  onClose: () => void
  children: ReactNode
}

/** The browser keeps the focus inside, closes it with Escape, and returns the focus. */
export function NativeDialog({ label, onClose, children }: NativeDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label={label}
      onClose={onClose}
      onClick={(event) => {
        // Only its backdrop: what is inside fills the element.
        if (event.target === dialog.current) onClose()
      }}
    >
      <div className="palette-inside">{children}</div>
    </dialog>
  )
}
