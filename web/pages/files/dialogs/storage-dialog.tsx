// Moves or copies the chosen files' bytes to the other storage location.
import { Checkbox, ChoiceList, Text } from '../../../ui/index.ts'
import { countText } from '../../../labels/size.ts'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'
import { type Reading, useForm } from './use-form.ts'

interface StorageForm {
  location: 'primary' | 'backup'
  keep: boolean
}

const readStorage = (form: StorageForm): Reading => ({ options: { ...form } })

export function StorageDialog(props: BulkProps) {
  const { form, change, bulk } = useForm<StorageForm>({
    initial: { location: 'backup', keep: false },
    read: readStorage,
  })
  return (
    <BulkDialog
      {...props}
      {...bulk('change-storage')}
      title={`Change the storage of ${countText(props.chosen.count, 'file', 'files')}`}
      run={form.keep ? 'Copy files' : 'Move files'}
    >
      <ChoiceList
        title="To"
        selected={[form.location]}
        onChange={([location]) => change({ location: location as StorageForm['location'] })}
        choices={[
          { value: 'primary', label: 'Primary storage' },
          { value: 'backup', label: 'Backup storage' },
        ]}
      />
      <Checkbox
        label="Preserve the original"
        helpText="Files stay where they are, and a copy is kept in the other place."
        checked={form.keep}
        onChange={(keep) => change({ keep })}
      />
      <Text as="p" tone="subdued">
        Every byte is read back and compared before anything is deleted. Download links go on working all the time.
      </Text>
    </BulkDialog>
  )
}
