// Makes one PDF document of the chosen ones, in the order that is chosen here.
import { useState } from 'react'
import { type File } from '../../../client/types.ts'
import { BlockStack, Text, TextField } from '../../../ui/index.ts'
import { countText } from '../../../labels/size.ts'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'
import { withPassword } from './document-options.ts'
import { OrderedFiles } from './ordered-files.tsx'
import { PasswordField } from './password-field.tsx'
import { type Reading, useForm } from './use-form.ts'

interface MergeForm {
  filename: string
  password: string
}

const FORBIDDEN = /[/\\\p{Cc}]/u

function readMerge({ filename, password }: MergeForm): Reading {
  const name = filename.trim().replace(/\.pdf$/i, '')
  if (name === '') return { errors: { filename: 'Give the new document a name' } }
  if (FORBIDDEN.test(name)) return { errors: { filename: 'A name has no / and no \\' } }
  return { options: { filename: `${name}.pdf`, ...withPassword(password) } }
}

export function MergeDialog(props: BulkProps) {
  const { chosen } = props
  const [files, setFiles] = useState<readonly File[]>(chosen.files)
  const { form, change, errors, bulk } = useForm<MergeForm>({
    initial: { filename: 'Merged.pdf', password: '' },
    read: readMerge,
  })
  return (
    <BulkDialog
      {...props}
      {...bulk('merge-pdf')}
      chosen={{ ...chosen, files, select: { file_ids: files.map(({ id }) => id) } }}
      title={`Merge ${countText(files.length, 'PDF', 'PDFs')} into one`}
      run="Merge PDFs"
      preview="none"
      note="The documents that it is made of stay as they are."
    >
      <BlockStack gap="200">
        <Text as="h3" variant="bodyMd">
          Order of the documents
        </Text>
        <OrderedFiles label="Order of the documents" files={files} onOrder={setFiles} />
        <Text as="p" variant="bodySm" tone="subdued">
          Drag them, use the arrows, or Alt and the arrow keys.
        </Text>
      </BlockStack>
      <TextField
        label="Name of the new document"
        autoComplete="off"
        maxLength={250}
        value={form.filename}
        error={errors.filename}
        onChange={(filename) => change({ filename })}
      />
      <PasswordField value={form.password} error={errors.password} onChange={(password) => change({ password })} />
    </BulkDialog>
  )
}
