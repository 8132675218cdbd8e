// Saves the assignment of columns under a name, for later files with the same columns.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { type CsvUpload, useSaveCsvMapping } from './calls.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Button, Hint, InlineStack, TextField } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'

export function SaveMapping({ upload }: { upload: CsvUpload }) {
  const [asking, setAsking] = useState(false)
  return (
    <InlineStack>
      <Button onClick={() => setAsking(true)}>{t('Save this mapping')}</Button>
      {asking && <NameDialog upload={upload} onClose={() => setAsking(false)} />}
    </InlineStack>
  )
}

function NameDialog({ upload, onClose }: { upload: CsvUpload; onClose: () => void }) {
  const [name, setName] = useState(upload.saved_mapping ?? '')
  const save = useSaveCsvMapping()
  const finish = () =>
    save.mutate(
      { name: name.trim(), headers: upload.headers, mapping: upload.mapping },
      {
        onSuccess: () => {
          toast(t('Mapping saved'))
          onClose()
        },
      },
    )
  return (
    <Dialog
      title={t('Save this column mapping')}
      onClose={onClose}
      onEnter={finish}
      why={name.trim() === '' ? t('Enter a name first.') : null}
      primaryAction={{
        content: t('Save'),
        loading: save.isPending,
        onAction: finish,
      }}
    >
      {save.error && <Problem error={save.error} what={t('The mapping could not be saved')} />}
      <TextField label={t('Name')} autoFocus maxLength={100} value={name} onChange={setName} />
      <Hint>
        {t(
          'It applies automatically to files with the same column names. A saved mapping with this name is replaced.',
        )}
      </Hint>
    </Dialog>
  )
}
