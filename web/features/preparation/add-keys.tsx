// The dialog that adds keys to a list: typed or pasted, or from a text or CSV file. A refused file
// adds nothing, and each of its bad lines is named.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { ApiError } from '../../shell/client/error.ts'
import { type AddedKeys, type LicenceList, useAddLicenceKeys } from './calls.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { DropArea } from '../../shell/components/drop-area.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { badLines, licenceCounts } from './labels.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack, Hint, TextField } from '../../shell/ui/index.ts'

export function AddKeys({ list, onClose }: { list: LicenceList; onClose: () => void }) {
  const add = useAddLicenceKeys()
  const [typed, setTyped] = useState('')
  const [missing, setMissing] = useState(false)
  const send = (keys: Blob) =>
    add.mutate(
      { id: list.id, keys },
      {
        onSuccess: (answer) => {
          toast(addedText(answer))
          onClose()
        },
      },
    )
  const submit = () => {
    setMissing(typed.trim() === '')
    if (typed.trim() !== '') send(new Blob([typed]))
  }
  return (
    <Dialog
      title={t('Add keys to {name}', { name: list.name })}
      onClose={onClose}
      primaryAction={{ content: t('Add keys'), onAction: submit, loading: add.isPending }}
      secondaryActions={[{ content: t('Cancel'), onAction: onClose, disabled: add.isPending }]}
    >
      <Refused error={add.error} />
      <TextField
        label={t('Keys, one a line')}
        helpText={t('Keys that your shop already has are left out, so that no key is given twice.')}
        monospaced
        multiline={6}
        maxHeight={240}
        value={typed}
        error={missing ? t('Enter at least one key, or choose a file') : undefined}
        onChange={(text) => {
          setTyped(text)
          setMissing(false)
          if (add.error) add.reset()
        }}
      />
      <DropArea
        small
        title={t('Or drop a text or CSV file here')}
        choose={t('Choose a file')}
        help={t('The keys are in its first column. Up to 200,000 keys and 20 MB.')}
        accept=".csv,.txt,text/plain,text/csv"
        busy={add.isPending}
        onFiles={([chosen]) => chosen && send(chosen.data)}
      />
      <Hint>{licenceCounts(list)}</Hint>
    </Dialog>
  )
}

function addedText({ added, duplicates }: AddedKeys): string {
  const text = t('{added, plural, one {# key added} other {# keys added}}', { added })
  if (duplicates === 0) return text
  const known = t('{duplicates, plural, one {# was there already} other {# were there already}}', {
    duplicates,
  })
  return `${text}, ${known}`
}

const SHOWN_LINES = 20

function Refused({ error }: { error: Error | null }) {
  if (!error) return null
  const lines = error instanceof ApiError ? badLines(error.details) : []
  if (lines.length === 0) return <Problem error={error} what={t('The keys could not be added')} />
  const more = lines.length - SHOWN_LINES
  return (
    <Banner tone="critical" title={t('No key was added: some lines are not keys')}>
      <BlockStack gap="200">
        <ul className="bullets">
          {lines.slice(0, SHOWN_LINES).map(({ line, message }) => (
            <li key={line}>{t('Line {line, number}: {message}', { line, message })}</li>
          ))}
        </ul>
        {more > 0 && (
          <p>{t('{more, plural, one {And # more line.} other {And # more lines.}}', { more })}</p>
        )}
        <p>{t('Correct these lines, then add the keys again.')}</p>
      </BlockStack>
    </Banner>
  )
}
