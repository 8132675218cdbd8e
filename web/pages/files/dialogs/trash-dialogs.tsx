// What is done with files in the trash: brought back, or deleted for good.
import { useStartOperation } from '../../../client/operations.ts'
import { Banner, Text } from '../../../ui/index.ts'
import { countText } from '../../../labels/size.ts'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'

export function RestoreDialog(props: BulkProps) {
  const start = useStartOperation()
  const files = countText(props.chosen.count, 'file', 'files')
  return (
    <BulkDialog
      {...props}
      title={`Restore ${files}?`}
      run={`Restore ${files}`}
      start={start}
      error={start.error}
      work={() => ({ action: 'restore-files', options: {} })}
    >
      <Text as="p">
        They come back with their tags and settings, and the links of those that are mapped to a product work again. A
        file whose name has been taken since gets a number.
      </Text>
    </BulkDialog>
  )
}

export function PurgeDialog(props: BulkProps) {
  const start = useStartOperation()
  const files = countText(props.chosen.count, 'file', 'files')
  return (
    <BulkDialog
      {...props}
      title={`Delete ${files} permanently?`}
      run="Delete permanently"
      destructive
      start={start}
      error={start.error}
      work={() => ({ action: 'purge-files', options: {} })}
    >
      <Banner tone="critical" title="This can’t be undone">
        <p>The files are deleted with their versions, mappings and links. Nothing brings them back.</p>
      </Banner>
    </BulkDialog>
  )
}
