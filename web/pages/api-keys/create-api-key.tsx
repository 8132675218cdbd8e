// The dialog that makes an API key, and then shows it: this once, to be copied.
import { useState } from 'react'
import { useCreateApiKey } from '../../client/api-keys.ts'
import { Code } from '../../components/copy.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Problem } from '../../components/problem.tsx'
import { objectionsIn, problemsOf } from '../../components/problems.ts'
import { Banner, BlockStack, ChoiceList, Select, TextField } from '../../ui/index.ts'
import { SCOPES, USUAL_SCOPES } from '../../labels/api-key.ts'

const LIFETIMES = [
  { value: '', label: 'Never' },
  { value: '30', label: 'After 30 days' },
  { value: '90', label: 'After 90 days' },
  { value: '365', label: 'After a year' },
]

export function CreateApiKey({ onClose }: { onClose: () => void }) {
  const create = useCreateApiKey()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<string[]>([...USUAL_SCOPES])
  const [days, setDays] = useState('')
  const [missing, setMissing] = useState<{ name?: string; scopes?: string }>({})
  const problems = problemsOf(objectionsIn(create.error))
  const submit = () => {
    const found = {
      ...(name.trim() === '' ? { name: 'Give it a name, so that you know it again' } : {}),
      ...(scopes.length === 0 ? { scopes: 'Choose at least one' } : {}),
    }
    setMissing(found)
    if (Object.keys(found).length > 0) return
    create.mutate({ name: name.trim(), scopes, expires_in_days: days === '' ? null : Number(days) })
  }
  if (create.data) return <Made made={create.data} onClose={onClose} />
  return (
    <Dialog
      title="Create API key"
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: 'Create', onAction: submit, loading: create.isPending }}
      secondaryActions={[{ content: 'Cancel', onAction: onClose }]}
    >
      {create.error && problems.all.length === 0 && (
        <Problem error={create.error} what="The key could not be created" />
      )}
      <TextField
        label="Name"
        autoComplete="off"
        autoFocus
        maxLength={100}
        placeholder="Nightly import"
        helpText="History shows it beside what the key did."
        value={name}
        error={missing.name ?? problems.at('name')}
        onChange={(text) => {
          setName(text)
          setMissing({})
        }}
      />
      <ChoiceList
        title="What it may do"
        allowMultiple
        choices={SCOPES.map(({ scope, text }) => ({ value: scope, label: text, helpText: scope }))}
        selected={scopes}
        error={missing.scopes ?? problems.at('scopes')}
        onChange={(chosen) => {
          setScopes(chosen)
          setMissing({})
        }}
      />
      <Select label="Expires" options={LIFETIMES} value={days} onChange={setDays} />
    </Dialog>
  )
}

function Made({ made, onClose }: { made: { name: string; key: string }; onClose: () => void }) {
  return (
    <Dialog
      title={`${made.name} was created`}
      onClose={onClose}
      primaryAction={{ content: 'Done', onAction: onClose }}
    >
      <BlockStack gap="400">
        <Banner tone="warning">Copy the key now: it is not shown again.</Banner>
        <Code text={made.key} what="API key" wrap />
      </BlockStack>
    </Dialog>
  )
}
