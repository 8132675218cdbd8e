// Asks before a pack is deleted: its files stay.
import { type Pack, useDeletePack } from '../../client/packs.ts'
import { DeleteDialog } from '../../components/delete-dialog.tsx'
import { Text } from '../../ui/index.ts'
import { countText } from '../../labels/size.ts'

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
      title={`Delete ${pack.name}?`}
      deleting={remove.isPending}
      error={remove.error}
      onDelete={() => remove.mutate(pack.id, { onSuccess: onDeleted })}
      onClose={onClose}
    >
      <Text as="p">
        {pack.files === 0
          ? 'There is no file in it.'
          : `Its ${countText(pack.files, 'file stays', 'files stay')} among your files, and ${pack.files === 1 ? 'loses' : 'lose'} the products of the pack.`}{' '}
        Links to the pack stop working.
      </Text>
    </DeleteDialog>
  )
}
