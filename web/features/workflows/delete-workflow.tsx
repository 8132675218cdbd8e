// Asks before a workflow is deleted; one that a scheduled task runs is not.
import { toast } from '../../shell/client/bridge.ts'
import { useDeleteWorkflow, type Workflow } from '../../shell/client/workflows.ts'
import { DeleteDialog } from '../../shell/components/delete-dialog.tsx'
import { Text } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  workflow: Pick<Workflow, 'id' | 'name' | 'channel'> | null
  onClose: () => void
  onDeleted?: () => void
}

export function DeleteWorkflow({ workflow, onClose, onDeleted }: Props) {
  const remove = useDeleteWorkflow()
  const close = () => {
    onClose()
    remove.reset()
  }
  return (
    <DeleteDialog
      open={workflow !== null}
      title={t('Delete “{name}”?', { name: workflow?.name ?? '' })}
      deleting={remove.isPending}
      error={remove.error}
      onClose={close}
      onDelete={() =>
        workflow &&
        remove.mutate(workflow.id, {
          onSuccess: () => {
            close()
            toast(t('Workflow deleted'))
            onDeleted?.()
          },
        })
      }
    >
      <Text as="p">
        {workflow?.channel
          ? t(
              'Operations that ran it stay in the history, and running ones continue. Imports of its channel run the built-in steps again.',
            )
          : t('Operations that ran it stay in the history, and running ones continue.')}
      </Text>
    </DeleteDialog>
  )
}
