// Asks before something is deleted or removed, and shows the reason if that could not be done.
import { type ReactNode } from 'react'
import { Question } from './question.tsx'
import { t } from '../messages/t.ts'

interface Props {
  open: boolean
  title: string
  /** The button, if it is not Delete. */
  button?: string
  /** What failed, if there is an error. */
  problem?: string
  /** The consequences. */
  children: ReactNode
  deleting: boolean
  error: Error | null
  onDelete: () => void
  onClose: () => void
}

export const DeleteDialog = ({
  open,
  button = t('Delete'),
  problem = t('It could not be deleted'),
  deleting,
  onDelete,
  ...rest
}: Props) =>
  open && (
    <Question
      {...rest}
      action={{ content: button, destructive: true, loading: deleting, onAction: onDelete }}
      back={t('Cancel')}
      problem={problem}
    />
  )
