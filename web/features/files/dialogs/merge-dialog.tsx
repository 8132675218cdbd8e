// Merges the selected PDF documents in the chosen order.
import { useState } from 'react'
import type { File } from '../../../shell/client/types.ts'
import { SortableList } from '../../../shell/components/sortable.tsx'
import { sizeText } from '../../../shell/labels/size.ts'
import { BlockStack, SmallPrint, Text, TextField } from '../../../shell/ui/index.ts'
import { t } from '../../../shell/messages/t.ts'
import { textsOf } from './action-texts.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import type { EntryProps } from './entry-props.ts'
import { type FormReading, useForm } from './use-form.ts'
import './ordered-files.css'

interface MergeForm {
  filename: string
  password: string
}

const FORBIDDEN = /[/\\\p{Cc}]/u

function readMerge({ filename, password }: MergeForm): FormReading {
  const name = filename.trim().replace(/\.pdf$/i, '')
  if (name === '') return { errors: { filename: t('Enter a name for the new document') } }
  if (FORBIDDEN.test(name)) return { errors: { filename: t('Names can’t contain / or \\') } }
  return { options: { filename: `${name}.pdf`, ...(password === '' ? {} : { password }) } }
}

export function MergeDialog({ entry, ...props }: EntryProps) {
  const [files, setFiles] = useState<readonly File[]>(props.chosen.files)
  const { form, change, errors, bulk } = useForm<MergeForm>({
    initial: { filename: t('Merged.pdf'), password: '' },
    read: readMerge,
  })
  const chosen = { ...props.chosen, files, select: { file_ids: files.map(({ id }) => id) } }
  const texts = textsOf(entry, chosen, {})
  return (
    <BulkDialog
      {...props}
      {...bulk(entry.plugin.id)}
      chosen={chosen}
      title={texts.title}
      run={texts.button}
      preview="none"
      note={texts.note ?? undefined}
    >
      <DocumentOrder files={files} onOrder={setFiles} />
      <TextField
        label={t('Name of the new document')}
        maxLength={250}
        value={form.filename}
        error={errors.filename}
        onChange={(filename) => change({ filename })}
      />
      <PasswordField
        value={form.password}
        error={errors.password}
        onChange={(password) => change({ password })}
      />
    </BulkDialog>
  )
}

interface OrderProps {
  files: readonly File[]
  onOrder: (files: readonly File[]) => void
}

const DocumentOrder = ({ files, onOrder }: OrderProps) => (
  <BlockStack gap="200">
    <Text as="h3" variant="bodyMd">
      {t('Order of the documents')}
    </Text>
    <SortableList
      label={t('Order of the documents')}
      className="ordered"
      items={files}
      keyOf={({ id }) => id}
      nameOf={({ filename }) => filename}
      onOrder={onOrder}
    >
      {({ filename, size_bytes }, at, { handle, buttons }) => (
        <>
          {handle}
          <span className="ordered-number">{at + 1}</span>
          <span className="ordered-name">
            <Text as="span" breakWord>
              {filename}
            </Text>
            <SmallPrint>{sizeText(size_bytes)}</SmallPrint>
          </span>
          {buttons}
        </>
      )}
    </SortableList>
    <Text as="p" variant="bodySm" tone="subdued">
      {t('Drag them, use the arrows, or Alt and the arrow keys.')}
    </Text>
  </BlockStack>
)

// The password of encrypted documents: for one step, and not shown in history.

interface Props {
  value: string
  error?: string
  onChange: (password: string) => void
}

function PasswordField(props: Props) {
  return (
    <TextField
      {...props}
      label={t('Password (optional)')}
      type="password"
      helpText={t('For PDFs that need a password to open. It is not stored in the history.')}
    />
  )
}
