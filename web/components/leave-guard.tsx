// Keeps what was written in a form from being lost by a step to another page: one is asked first.
import { useEffect, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { Modal, Text } from '../ui/index.ts'

interface Props {
  dirty: boolean
  /** What would be lost: `this workflow`. */
  what: string
}

export function LeaveGuard({ dirty, what }: Props) {
  const [wanted, setWanted] = useState<string | null>(null)
  useEffect(() => (dirty ? guard(setWanted) : undefined), [dirty])
  return (
    <Modal
      open={wanted !== null}
      onClose={() => setWanted(null)}
      title="Leave without saving?"
      primaryAction={{
        content: 'Leave',
        destructive: true,
        onAction: () => {
          if (wanted !== null) navigate(wanted)
        },
      }}
      secondaryActions={[{ content: 'Stay', onAction: () => setWanted(null) }]}
    >
      <Modal.Section>
        <Text as="p">What you changed in {what} is lost.</Text>
      </Modal.Section>
    </Modal>
  )
}

/** Tells `onLeave` where someone wants to go, and stays. */
function guard(onLeave: (url: string) => void): () => void {
  const here = window.location.href
  const close = (event: BeforeUnloadEvent) => event.preventDefault()
  const click = (event: MouseEvent) => {
    const anchor = (event.target as Element | null)?.closest?.('a[href]') as HTMLAnchorElement | null
    const elsewhere = anchor !== null && anchor.origin === window.location.origin && anchor.target !== '_blank'
    if (!elsewhere || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    event.stopImmediatePropagation()
    onLeave(anchor.pathname + anchor.search)
  }
  // Back and forward have happened by now: the form's own address is put back before anyone else hears of it.
  const back = (event: PopStateEvent) => {
    event.stopImmediatePropagation()
    const { pathname, search } = window.location
    window.history.pushState(null, '', here)
    onLeave(pathname + search)
  }
  window.addEventListener('beforeunload', close)
  window.addEventListener('popstate', back, true)
  document.addEventListener('click', click, true)
  return () => {
    window.removeEventListener('beforeunload', close)
    window.removeEventListener('popstate', back, true)
    document.removeEventListener('click', click, true)
  }
}
