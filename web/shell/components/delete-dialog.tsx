// Asks before something is deleted, and shows the reason if it could not be deleted.
import { type ReactNode } from 'react'
import { Question } from './question.tsx'
import { t } from '../messages/t.ts'

interface Props {
  open: boolean
  title: string
  /** The consequences. */
  children: ReactNode
  deleting: boolean
  error: Error | null
  onDelete: () => void
  onClose: () => void
}

export const DeleteDialog = ({ open, deleting, onDelete, children, ...rest }: Props) =>
  open && (
    <Question
      {...rest}
      action={{ content: t('Delete'), destructive: true, loading: deleting, onAction: onDelete }}
      back={t('Cancel')}
      problem={t('It could not be deleted')}
    >
      {children}
    </Question>
  )
