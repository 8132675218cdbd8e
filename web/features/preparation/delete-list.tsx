// Asks before a list of licence keys is deleted.
import { toast } from '../../shell/client/bridge.ts'
import { type LicenceList, useDeleteLicenceList } from './calls.ts'
import { DeleteDialog } from '../../shell/components/delete-dialog.tsx'
import { t } from '../../shell/messages/t.ts'
import { Text } from '../../shell/ui/index.ts'

interface Props {
  list: LicenceList
  onClose: () => void
  onDeleted?: () => void
}

export function DeleteList({ list, onClose, onDeleted = onClose }: Props) {
  const remove = useDeleteLicenceList()
  const { id, name, left } = list
  return (
    <DeleteDialog
      open
      title={t('Delete {name}?', { name })}
      deleting={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onDelete={() =>
        remove.mutate(id, {
          onSuccess: () => {
            toast(t('List deleted'))
            onDeleted()
          },
        })
      }
    >
      <Text as="p">
        {t(
          '{left, plural, =0 {It has no unused keys.} one {Its # unused key is deleted.} other {Its # unused keys are deleted.}} This can’t be undone.',
          { left: left ?? 0 },
        )}
      </Text>
      <Text as="p">
        {t(
          'Buyers keep the keys that they have. A workflow that uses the list holds its deliveries until you choose another one.',
        )}
      </Text>
    </DeleteDialog>
  )
}
