// Changes a connection's keys; they are tested before they are saved.
import { useState } from 'react'
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import { type Connection, type Provider, useChangeConnection } from './calls.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { clearing, objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { TextField } from '../../shell/ui/index.ts'
import { changedAccess, type Values } from './provider-draft.ts'
import { ProviderFields } from './provider-fields.tsx'

interface Props {
  connection: Connection
  provider: Provider
  onClose: () => void
}

export function EditAccess({ connection, provider, onClose }: Props) {
  const { id, settings } = connection
  const change = useChangeConnection(id, useKnown(connection))
  const [name, setName] = useState(connection.name)
  const [values, setValues] = useState<Values>(() =>
    Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, value ?? ''])),
  )
  const problems = problemsOf(objectionsIn(change.error))
  const submit = () =>
    change.mutate(
      {
        ...changedAccess([...provider.fields, PRESET], settings, values),
        ...(name.trim() === connection.name ? {} : { name: name.trim() }),
      },
      {
        onSuccess: () => {
          toast(t('Access saved'))
          onClose()
        },
      },
    )
  return (
    <Dialog
      title={t('Change access')}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: t('Save'), loading: change.isPending, onAction: submit }}
    >
      {change.error && problems.all.length === 0 && (
        <Problem error={change.error} what={t('The access could not be saved')} />
      )}
      <TextField
        label={t('Name')}
        maxLength={200}
        value={name}
        error={problems.at('name')}
        onChange={clearing(change, setName)}
      />
      <ProviderFields
        saved
        provider={provider}
        values={values}
        problems={problems}
        onChange={clearing(change, (part: Values) =>
          setValues((before) => ({ ...before, ...part })),
        )}
        without={['folder', 'prefix']}
      />
    </Dialog>
  )
}

const PRESET = {
  name: 'preset',
  title: '',
  help: '',
  required: false,
  secret: false,
  multiline: false,
}
