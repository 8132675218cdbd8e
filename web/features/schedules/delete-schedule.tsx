// Asks before a scheduled task is deleted.
import { toast } from '../../shell/client/bridge.ts'
import { type Schedule, useDeleteSchedule } from './calls.ts'
import { DeleteDialog } from '../../shell/components/delete-dialog.tsx'
import { Text } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  schedule: Pick<Schedule, 'id' | 'name'> | null
  onClose: () => void
  onDeleted?: () => void
}

export function DeleteSchedule({ schedule, onClose, onDeleted }: Props) {
  const remove = useDeleteSchedule()
  const close = () => {
    onClose()
    remove.reset()
  }
  return (
    <DeleteDialog
      open={schedule !== null}
      title={t('Delete “{name}”?', { name: schedule?.name ?? '' })}
      deleting={remove.isPending}
      error={remove.error}
      onClose={close}
      onDelete={() =>
        schedule &&
        remove.mutate(schedule.id, {
          onSuccess: () => {
            close()
            toast(t('Scheduled task deleted'))
            onDeleted?.()
          },
        })
      }
    >
      <Text as="p">
        {t(
          'It does not run again. A run in progress continues, and past runs stay in the history.',
        )}
      </Text>
    </DeleteDialog>
  )
}
