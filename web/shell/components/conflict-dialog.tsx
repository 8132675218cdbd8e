// Asks which version to keep when somebody else has changed the same fields while a form was open.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { type Conflict } from '../client/edits.ts'
import { editedFieldText, editedValueText } from '../labels/edited-field.ts'
import { Hint, Text } from '../ui/index.ts'
import { Dialog } from './dialog.tsx'
import { t } from '../messages/t.ts'

/** Rendered only while it is open, so that it is above the dialog of a form. */
export const ConflictDialog = ({
  conflict,
  onKeepTheirs,
  onClose,
}: {
  conflict: Conflict
  onKeepTheirs: () => void
  /** The question is answered later. */
  onClose: () => void
}) => (
  <Dialog
    title={t('This was changed while you edited it')}
    // Escape must not lose what was typed.
    onClose={onClose}
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
            value: editedValueText(ownValue(conflict.current, field)),
          })}
        </li>
      ))}
    </ul>
    <Hint>{t('If you keep the other version, your changes are discarded.')}</Hint>
  </Dialog>
)
