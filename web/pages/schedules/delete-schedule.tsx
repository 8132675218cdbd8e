// Asks before a scheduled task is deleted.
import { toast } from '../../client/bridge.ts'
import { type Schedule, useDeleteSchedule } from '../../client/schedules.ts'
import { DeleteDialog } from '../../components/delete-dialog.tsx'
import { Text } from '../../ui/index.ts'

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
      title={`Delete “${schedule?.name ?? ''}”?`}
      deleting={remove.isPending}
      error={remove.error}
      onClose={close}
      onDelete={() =>
        schedule &&
        remove.mutate(schedule.id, {
          onSuccess: () => {
            close()
            toast('Scheduled task deleted')
            onDeleted?.()
          },
        })
      }
    >
      <Text as="p">
        It does not run again. A run that has started goes on, and what has run stays in the
        history.
      </Text>
    </DeleteDialog>
  )
}
