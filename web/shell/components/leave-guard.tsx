// Asks before a navigation would discard the changes in a form: the platform's admin asks, or the
// page itself if the admin has no such question.
import { useEffect, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { adminSaveBar } from '../client/bridge.ts'
import { guardLeaving } from '../url-state/leaving.ts'
import { Modal, Text } from '../ui/index.ts'
import { t } from '../messages/t.ts'

interface Props {
  dirty: boolean
  /** The name of what would be lost: `this workflow`. */
  what: string
}

export function LeaveGuard({ dirty, what }: Props) {
  const [wanted, setWanted] = useState<{ url: string; onStay: () => void } | null>(null)
  useEffect(() => {
    if (!dirty) return
    const bar = adminSaveBar()
    return guardLeaving((url, onStay = () => undefined) => {
      if (bar) void bar.leaveConfirmation().then(() => navigate(url), onStay)
      else setWanted({ url, onStay })
    })
  }, [dirty])
  const stay = () => {
    wanted?.onStay()
    setWanted(null)
  }
  return (
    <Modal
      open={wanted !== null}
      onClose={stay}
      title={t('Leave without saving?')}
      primaryAction={{
        content: t('Leave'),
        destructive: true,
        onAction: () => {
          setWanted(null)
          if (wanted !== null) navigate(wanted.url)
        },
      }}
      secondaryActions={[{ content: t('Stay'), onAction: stay }]}
    >
      <Modal.Section>
        <Text as="p">{t('Your changes to {what} will be lost.', { what })}</Text>
      </Modal.Section>
    </Modal>
  )
}
