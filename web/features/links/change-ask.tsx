// Changes what a link asks for before a download.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { type DownloadLink } from '../../shell/client/types.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { Hint } from '../../shell/ui/index.ts'
import { AskFields } from './ask-fields.tsx'
import { EMPTY_ASK, readAskChange, type AskChange } from './ask-form.ts'
import { useChangeAsk } from './list-calls.ts'
import { t } from '../../shell/messages/t.ts'

export function ChangeAsk({ link, onClose }: { link: DownloadLink; onClose: () => void }) {
  const change = useChangeAsk()
  // The link shows what its pack or its file asks for too: to save that would keep it for ever.
  const [form, setForm] = useState<AskChange>({ ...EMPTY_ASK, ask: 'unchanged' })
  const [wrong, setWrong] = useState<string | undefined>()
  const problem = wrong ?? problemsOf(objectionsIn(change.error)).at('password')
  const submit = () => {
    if (form.ask === 'unchanged') return onClose()
    const read = readAskChange(form)
    if ('error' in read) return setWrong(read.error)
    change.mutate(
      { id: link.id, ...read.terms },
      {
        onSuccess: ({ ask_for: asked }) => {
          toast(
            asked === null
              ? t('The link asks for nothing')
              : asked === 'email'
                ? t('The link asks for the email address')
                : t('The link asks for a password'),
          )
          onClose()
        },
      },
    )
  }
  return (
    <Dialog
      title={t('Ask before a download')}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: t('Change'), onAction: submit, loading: change.isPending }}
    >
      {change.error && !problem && (
        <Problem error={change.error} what={t('The link could not be changed')} />
      )}
      <AskFields
        form={form}
        error={problem}
        own={link.pack_id === null ? t('What the file asks for') : t('What each file asks for')}
        keep={t('Leave unchanged')}
        onChange={(part) => {
          setForm({ ...form, ...part })
          setWrong(undefined)
          if (change.error) change.reset()
        }}
      />
      <Hint>{t('It applies to the next visit, also of buyers who have answered before.')}</Hint>
    </Dialog>
  )
}
