// Asks before something is deleted, and says why where it could not be.
import { type ReactNode } from 'react'
import { BlockStack, Modal } from '../ui/index.ts'
import { Problem } from './problem.tsx'
import { t } from '../messages/t.ts'

interface Props {
  open: boolean
  title: string
  /** What it means. */
  children: ReactNode
  deleting: boolean
  error: Error | null
  onDelete: () => void
  onClose: () => void
}

export function DeleteDialog({ open, title, children, deleting, error, onDelete, onClose }: Props) {
  return (
    <Modal
      open={open}
      onClose={onClose}
      title={title}
      primaryAction={{
        content: t('Delete'),
        destructive: true,
        loading: deleting,
        onAction: onDelete,
      }}
      secondaryActions={[{ content: t('Cancel'), onAction: onClose }]}
    >
      <Modal.Section>
        <BlockStack gap="400">
          {error && <Problem error={error} what={t('It could not be deleted')} />}
          {children}
        </BlockStack>
      </Modal.Section>
    </Modal>
  )
}
