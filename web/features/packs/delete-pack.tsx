// Asks before a pack is deleted: its files stay.
import { toast } from '../../shell/client/bridge.ts'
import { type Pack, useDeletePack } from './calls.ts'
import { DeleteDialog } from '../../shell/components/delete-dialog.tsx'
import { Text } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  pack: Pack
  onClose: () => void
  onDeleted: () => void
}

export function DeletePack({ pack, onClose, onDeleted }: Props) {
  const remove = useDeletePack()
  return (
    <DeleteDialog
      open
      title={t('Delete {name}?', { name: pack.name })}
      deleting={remove.isPending}
      error={remove.error}
      onDelete={() =>
        remove.mutate(pack.id, {
          onSuccess: () => {
            toast(t('Pack deleted'))
            onDeleted()
          },
        })
      }
      onClose={onClose}
    >
      <Text as="p">
        {t(
          '{files, plural, =0 {The pack is empty.} one {Its file stays among your files and loses the products of the pack.} other {Its # files stay among your files and lose the products of the pack.}} Links to the pack stop working.',
          { files: pack.files },
        )}
      </Text>
    </DeleteDialog>
  )
}
