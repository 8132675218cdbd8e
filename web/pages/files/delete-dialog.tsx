// Deletes the chosen files: into the trash, with what that means for the products that they are mapped to.
import { useState } from 'react'
import { useStartOperation } from '../../client/operations.ts'
import { useFiles } from '../../client/queries.ts'
import { Banner, Checkbox, ChoiceList, Text } from '../../ui/index.ts'
import { countText, numberText } from '../../words/size.ts'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'
import { type Chosen } from './selection.ts'

const TRASH_DAYS = 7

export function DeleteDialog(props: BulkProps) {
  const { chosen } = props
  const start = useStartOperation()
  const [mappings, setMappings] = useState<'keep' | 'remove'>('keep')
  const [backup, setBackup] = useState(false)
  const mapped = useMapped(chosen)
  const remove_mappings = mapped !== 0 && mappings === 'remove'
  const files = countText(chosen.count, 'file', 'files')
  return (
    <BulkDialog
      {...props}
      title={`Delete ${files}?`}
      run={`Delete ${files}`}
      destructive
      start={start}
      error={start.error}
      noPreview={
        backup
          ? 'A deletion with a backup can’t be previewed. A file that can’t be backed up is not deleted.'
          : undefined
      }
      work={() =>
        backup && 'file_ids' in chosen.select
          ? { file_ids: chosen.select.file_ids, remove_mappings, backup_first: true }
          : { action: 'delete-files', options: { remove_mappings } }
      }
    >
      <Text as="p">
        {`${chosen.count === 1 ? 'It stays' : 'They stay'} in the trash for ${numberText(TRASH_DAYS)} days and can be restored until then. `}
        {`${chosen.count === 1 ? 'Its' : 'Their'} download links stop working at once.`}
      </Text>
      {mapped !== 0 && (
        <>
          <Banner tone="warning" title={mappedText(mapped, chosen.count)}>
            <p>Customers who bought these products can’t download the files any more.</p>
          </Banner>
          <ChoiceList
            title="Their product mappings"
            selected={[mappings]}
            onChange={([choice]) => setMappings(choice as 'keep' | 'remove')}
            choices={[
              {
                value: 'keep',
                label: 'Keep the mappings',
                helpText: 'A file that is restored belongs to its products again, and its links work again.',
              },
              {
                value: 'remove',
                label: 'Remove the mappings too',
                helpText:
                  'A file that is restored belongs to no product. Undoing the deletion brings its products back.',
              },
            ]}
          />
        </>
      )}
      {'file_ids' in chosen.select && (
        <Checkbox
          label="Back up first"
          helpText="Copies each file to the backup location and reads the copy back before the file is deleted."
          checked={backup}
          onChange={setBackup}
        />
      )}
    </BulkDialog>
  )
}

/** How many of them are mapped to a product; null until that is known. */
function useMapped({ select, files }: Chosen): number | null {
  const filter = 'filter' in select ? select.filter : null
  const counted = useFiles({ ...filter, mapped: true, limit: 1 }, false, filter !== null && filter.mapped === undefined)
  if (!filter) return files.filter(({ mappings }) => mappings.length > 0).length
  if (filter.mapped === false) return 0
  if (filter.mapped) return null
  return counted.data?.total ?? null
}

function mappedText(mapped: number | null, count: number): string {
  if (mapped === null) return 'These files may be mapped to products'
  if (mapped === count)
    return count === 1 ? 'This file is mapped to a product' : 'All of these files are mapped to products'
  return `${numberText(mapped)} of ${countText(count, 'file', 'files')} ${mapped === 1 ? 'is mapped to a product' : 'are mapped to products'}`
}
