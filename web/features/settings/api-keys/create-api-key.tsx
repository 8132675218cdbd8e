// The dialog that creates an API key and shows it once, to be copied.
import { useState } from 'react'
import { useCreateApiKey } from '../api-key-calls.ts'
import { Code } from '../../../shell/components/copy.tsx'
import { Dialog } from '../../../shell/components/dialog.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { clearing, objectionsIn, problemsOf } from '../../../shell/components/problems.ts'
import { Banner, BlockStack, ChoiceList, Select, TextField } from '../../../shell/ui/index.ts'
import { SCOPES, USUAL_SCOPES } from '../api-key-labels.ts'
import { t } from '../../../shell/messages/t.ts'

const LIFETIMES = [
  { value: '', label: t('Never') },
  { value: '30', label: t('After 30 days') },
  { value: '90', label: t('After 90 days') },
  { value: '365', label: t('After a year') },
]

interface MissingTexts {
  name?: string
  scopes?: string
}

/** What to say at the fields that have no value. */
const missingIn = (name: string, scopes: readonly string[]): MissingTexts => ({
  ...(name.trim() === '' ? { name: t('Enter a name that you will recognize') } : {}),
  ...(scopes.length === 0 ? { scopes: t('Choose at least one') } : {}),
})

export function CreateApiKey({ onClose }: { onClose: () => void }) {
  const create = useCreateApiKey()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<string[]>([...USUAL_SCOPES])
  const [days, setDays] = useState('')
  const [missing, setMissing] = useState<MissingTexts>({})
  const problems = problemsOf(objectionsIn(create.error))
  const submit = () => {
    const found = missingIn(name, scopes)
    setMissing(found)
    if (Object.keys(found).length > 0) return
    create.mutate({
      name: name.trim(),
      scopes: SCOPES.map(({ scope }) => scope).filter((scope) => scopes.includes(scope)),
      expires_in_days: days === '' ? null : Number(days),
    })
  }
  if (create.data) return <Made made={create.data} onClose={onClose} />
  return (
    <Dialog
      title={t('Create API key')}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: t('Create'), onAction: submit, loading: create.isPending }}
    >
      {create.error && problems.all.length === 0 && (
        <Problem error={create.error} what={t('The key could not be created')} />
      )}
      <TextField
        label={t('Name')}
        autoFocus
        maxLength={100}
        placeholder={t('Nightly import')}
        helpText={t('The history shows this name for operations that the key starts.')}
        value={name}
        error={missing.name ?? problems.at('name')}
        onChange={clearing(create, (text: string) => {
          setName(text)
          setMissing({})
        })}
      />
      <ChoiceList
        title={t('Permissions')}
        allowMultiple
        choices={SCOPES.map(({ scope, text }) => ({ value: scope, label: text, helpText: scope }))}
        selected={scopes}
        error={missing.scopes ?? problems.at('scopes')}
        onChange={clearing(create, (chosen: string[]) => {
          setScopes(chosen)
          setMissing({})
        })}
      />
      <Select label={t('Expires')} options={LIFETIMES} value={days} onChange={setDays} />
    </Dialog>
  )
}

function Made({
  made,
  onClose,
}: {
  made: { name: string; key: string | null }
  onClose: () => void
}) {
  return (
    <Dialog
      title={t('{name} was created', { name: made.name })}
      onClose={onClose}
      primaryAction={{ content: t('Done'), onAction: onClose }}
    >
      <BlockStack gap="400">
        <Banner tone="warning">{t('Copy the key now: it is not shown again.')}</Banner>
        {made.key !== null && <Code text={made.key} what={t('API key')} wrap />}
      </BlockStack>
    </Dialog>
  )
}
