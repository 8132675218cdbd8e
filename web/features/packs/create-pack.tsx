// The dialog that creates a pack with a name; files and products are added on its page.
import { useState } from 'react'
import { type Pack, useCreatePack } from './calls.ts'
import { NameDialog } from './name-dialog.tsx'
import { t } from '../../shell/messages/t.ts'

export function CreatePack({
  onClose,
  onMade,
}: {
  onClose: () => void
  onMade: (pack: Pack) => void
}) {
  const create = useCreatePack()
  const [name, setName] = useState('')
  return (
    <NameDialog
      title={t('Create pack')}
      save={t('Create')}
      name={name}
      saving={create.isPending}
      error={create.error}
      onChange={(text) => {
        setName(text)
        create.reset()
      }}
      onSave={() => create.mutate({ name: name.trim(), products: [] }, { onSuccess: onMade })}
      onClose={onClose}
    />
  )
}
