// Asks which version to keep when somebody else has changed the same fields while a form was open.
import { useQueryClient } from '@tanstack/react-query'
import { Fragment, type ReactNode, useState, useSyncExternalStore } from 'react'
import { type Conflict, conflictStore } from '../client/edits.ts'
import { editedFieldText, editedValueText } from '../labels/edited-field.ts'
import { Text } from '../ui/index.ts'
import { Dialog } from './dialog.tsx'
import { t } from '../messages/t.ts'

/** Mounts the pages again, with fresh data, when the other version is kept. */
export function Conflicts({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const conflict = useSyncExternalStore(conflictStore.subscribe, conflictStore.read)
  const [kept, setKept] = useState(0)
  const keepTheirs = () => {
    conflict?.answer('theirs')
    client.removeQueries()
    setKept((count) => count + 1)
  }
  return (
    <>
      <Fragment key={kept}>{children}</Fragment>
      {conflict && <Question conflict={conflict} onKeepTheirs={keepTheirs} />}
    </>
  )
}

/** The dialog is rendered only while it is open, so that it is above the dialog of a form. */
const Question = ({ conflict, onKeepTheirs }: { conflict: Conflict; onKeepTheirs: () => void }) => (
  <Dialog
    title={t('This was changed while you edited it')}
    onClose={onKeepTheirs}
    primaryAction={{
      content: t('Save my version'),
      destructive: true,
      onAction: () => conflict.answer('mine'),
    }}
    secondaryActions={[{ content: t('Keep the other version'), onAction: onKeepTheirs }]}
  >
    <Text as="p">
      {t(
        'Somebody else, or another tab, has changed the same fields. If you save your version, it replaces these values:',
      )}
    </Text>
    <ul className="bullets">
      {conflict.fields.map((field) => (
        <li key={field}>
          {t('{field}: {value}', {
            field: editedFieldText(field),
            value: editedValueText(conflict.current?.[field]),
          })}
        </li>
      ))}
    </ul>
    <Text as="p" tone="subdued">
      {t('If you keep the other version, your changes are discarded.')}
    </Text>
  </Dialog>
)
