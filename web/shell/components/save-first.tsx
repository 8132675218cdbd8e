// Said instead of an action that would use the saved record while its form has unsaved changes.
import { Text } from '../ui/index.ts'
import { Dialog } from './dialog.tsx'
import { t } from '../messages/t.ts'

export const SaveFirst = ({ onClose }: { onClose: () => void }) => (
  <Dialog
    title={t('Save your changes first')}
    onClose={onClose}
    primaryAction={{ content: t('Close'), onAction: onClose }}
  >
    <Text as="p">
      {t('This uses what is saved. Save or discard your changes, then try again.')}
    </Text>
  </Dialog>
)
