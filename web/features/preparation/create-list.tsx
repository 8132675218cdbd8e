// The dialog that creates a list of licence keys; its keys are added afterwards.
import { useState } from 'react'
import { type LicenceList, useCreateLicenceList } from './calls.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { fieldId, objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { TextField } from '../../shell/ui/index.ts'

const MAX_NAME = 100

export function CreateList({ onClose }: { onClose: (made: LicenceList | null) => void }) {
  const create = useCreateLicenceList()
  const [name, setName] = useState('')
  const [missing, setMissing] = useState(false)
  const found = missing ? [{ param: 'name', message: t('Give it a name') }] : []
  const problems = problemsOf([...found, ...objectionsIn(create.error)])
  const submit = () => {
    setMissing(name.trim() === '')
    if (name.trim() !== '') create.mutate(name.trim(), { onSuccess: onClose })
  }
  return (
    <Dialog
      title={t('Create a list of licence keys')}
      onClose={() => onClose(null)}
      onEnter={submit}
      primaryAction={{ content: t('Create'), onAction: submit, loading: create.isPending }}
      secondaryActions={[{ content: t('Cancel'), onAction: () => onClose(null) }]}
    >
      {create.error && problems.all.length === 0 && (
        <Problem error={create.error} what={t('The list could not be created')} />
      )}
      <TextField
        id={fieldId('name')}
        label={t('Name')}
        helpText={t('You choose the list by it in a workflow. Buyers do not see it.')}
        placeholder={t('Editor, single seat')}
        autoComplete="off"
        maxLength={MAX_NAME}
        value={name}
        error={problems.at('name')}
        onChange={(text) => {
          setName(text)
          setMissing(false)
          if (create.error) create.reset()
        }}
      />
    </Dialog>
  )
}
