// Deletes the chosen files: into the trash, with what that means for the products that they are mapped to.
import { useState } from 'react'
import { useStartOperation } from '../../../client/operations.ts'
import { Text } from '../../../ui/index.ts'
import { trashText } from '../../../labels/impact.ts'
import { countText } from '../../../labels/size.ts'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'
import { DeletionFields } from './deletion-fields.tsx'
import { onlyUnmaps, PLAIN_DELETION, workOf } from './deletion.ts'
import { useImpact } from './impact.ts'

export function DeleteDialog(props: BulkProps) {
  const { select, count } = props.chosen
  const start = useStartOperation()
  const [deletion, setDeletion] = useState(PLAIN_DELETION)
  const impact = useImpact(props.chosen)
  const unmaps = onlyUnmaps(deletion, impact.mapped)
  const remove = (files: number) => `Delete ${countText(files, 'file', 'files')}`
  return (
    <BulkDialog
      {...props}
      title={`${remove(count)}?`}
      run={unmaps ? 'Remove mappings' : remove}
      destructive
      start={start}
      error={start.error}
      // All that match may be others than those that one has seen.
      preview={'filter' in select && !unmaps ? 'required' : 'offered'}
      work={() => workOf(deletion, impact.mapped)}
    >
      <Text as="p">{trashText(count, impact.links)}</Text>
      <DeletionFields
        deletion={deletion}
        impact={impact}
        count={count}
        onChange={(part) => setDeletion({ ...deletion, ...part })}
      />
    </BulkDialog>
  )
}
