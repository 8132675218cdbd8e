// Asks before a list of licence keys is deleted.
import { toast } from '../../shell/client/bridge.ts'
import { type LicenceList, useDeleteLicenceList } from './calls.ts'
import { DeleteDialog } from '../../shell/components/delete-dialog.tsx'
import { t } from '../../shell/messages/t.ts'
import { Text } from '../../shell/ui/index.ts'

export function DeleteList({ list, onClose }: { list: LicenceList; onClose: () => void }) {
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
            onClose()
          },
        })
      }
    >
      <Text as="p">
        {t(
          '{left, plural, =0 {It has no unused keys.} one {Its # unused key is deleted.} other {Its # unused keys are deleted.}} This can’t be undone.',
          { left },
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
