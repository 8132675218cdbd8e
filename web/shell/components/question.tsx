// A question before an action: the admin's own modal if it has one, otherwise a dialog of the page.
// A dialog with fields is always the page's: the admin's modal is another document, without the
// page's styles.
import { createElement, type ReactNode, useEffect, useId, useState } from 'react'
import { createPortal } from 'react-dom'
import { type AdminModals, adminModals } from '../client/bridge.ts'
import { Dialog } from './dialog.tsx'
import { Problem } from './problem.tsx'

interface Props {
  title: string
  /** The consequences, in paragraphs. */
  children: ReactNode
  action: { content: string; destructive?: boolean; loading?: boolean; onAction: () => void }
  /** The label of the button that only closes it. */
  back: string
  error?: Error | null
  /** What failed, if there is an error. */
  problem?: string
  onClose: () => void
}

/** Open while it is rendered. */
export function Question(props: Props) {
  const modals = adminModals()
  return modals ? <InAdmin modals={modals} {...props} /> : <InPage {...props} />
}

const InPage = ({ title, children, action, back, error, problem = '', onClose }: Props) => (
  <Dialog
    title={title}
    onClose={onClose}
    primaryAction={action}
    secondaryActions={[{ content: back, onAction: onClose }]}
  >
    {error && <Problem error={error} what={problem} />}
    {children}
  </Dialog>
)

/** A `<ui-modal>`: children are rendered into its `content`. */
type ModalElement = HTMLElement & { content?: HTMLElement | null }

function InAdmin({
  modals,
  title,
  children,
  action,
  back,
  error,
  problem = '',
  onClose,
}: Props & { modals: AdminModals }) {
  const id = useId()
  const [modal, setModal] = useState<ModalElement | null>(null)
  useEffect(() => {
    // A task later: React in strict mode runs this twice, and closing would count as the
    // merchant's.
    const opening = setTimeout(() => void modals.show(id))
    return () => {
      clearTimeout(opening)
      void modals.hide(id)
    }
  }, [modals, id])
  useEffect(() => {
    // The merchant closed it with the admin's own button.
    modal?.addEventListener('hide', onClose)
    return () => modal?.removeEventListener('hide', onClose)
  }, [modal, onClose])
  const { content, destructive = false, loading = false, onAction } = action
  const own = {
    variant: 'primary',
    ...(destructive ? { tone: 'critical' } : {}),
    ...(loading ? { loading: '' } : {}),
  }
  const body = (
    <div style={{ padding: '16px' }}>
      {error && <p role="alert">{`${problem}: ${error.message}`}</p>}
      {children}
    </div>
  )
  return createElement(
    'ui-modal',
    { id, ref: setModal },
    modal && (modal.content ? createPortal(body, modal.content) : body),
    createElement(
      'ui-title-bar',
      { title },
      createElement(
        'button',
        { ...own, type: 'button', disabled: loading, onClick: onAction },
        content,
      ),
      createElement('button', { type: 'button', disabled: loading, onClick: onClose }, back),
    ),
  )
}
