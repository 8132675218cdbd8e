// Moves the selected files to the trash, and shows what that means for their products.
import { useState } from 'react'
import { useStartOperation } from '../../operations/calls.ts'
import { Text } from '../../../shell/ui/index.ts'
import { paidText, trashText } from '../../../shell/files/impact-labels.ts'
import { textsOf } from './action-texts.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import { DeletionFields } from './deletion-fields.tsx'
import { onlyUnmaps, PLAIN_DELETION, workOf } from './deletion.ts'
import { type EntryProps } from './entry-props.ts'
import { useImpact } from './impact.ts'
import { previewOf } from './plugin-dialog.tsx'
import { useDeletionPlugins } from './use-deletion-plugins.ts'
import { t } from '../../../shell/messages/t.ts'

export function DeleteDialog({ entry, ...props }: EntryProps) {
  const plugins = useDeletionPlugins(entry)
  const texts = textsOf(entry, props.chosen, {})
  const { select, count } = props.chosen
  const start = useStartOperation()
  const [deletion, setDeletion] = useState(PLAIN_DELETION)
  const impact = useImpact(props.chosen)
  const paid = paidText(impact.paid)
  const unmaps = onlyUnmaps(deletion, impact.mapped)
  return (
    <BulkDialog
      {...props}
      title={texts.title}
      run={unmaps ? t('Remove mappings') : texts.button}
      destructive
      start={start}
      error={start.error}
      // All that match may include files that the merchant has not seen.
      preview={unmaps ? 'offered' : previewOf(entry, select)}
      work={() => workOf(deletion, impact.mapped, plugins)}
    >
      <Text as="p">{trashText(count, impact.links)}</Text>
      {paid && !unmaps && (
        <Text as="p" tone="critical">
          {paid}
        </Text>
      )}
      <DeletionFields
        deletion={deletion}
        impact={impact}
        count={count}
        unmaps={plugins.unmap !== null}
        onChange={(part) => setDeletion({ ...deletion, ...part })}
      />
    </BulkDialog>
  )
}
