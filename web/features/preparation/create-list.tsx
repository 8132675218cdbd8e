// The dialog that creates a list of licence keys, and the one that changes a list.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { useKnown } from '../../shell/client/edits.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { type LicenceList, useChangeLicenceList, useCreateLicenceList } from './calls.ts'
import { bodyOf, draftOf, NEW_LIST, problemsOfDraft, type ListDraft } from './list-draft.ts'
import { ListFields } from './list-fields.tsx'

export function CreateList({ onClose }: { onClose: (made: LicenceList | null) => void }) {
  const create = useCreateLicenceList()
  return (
    <ListDialog
      title={t('Create a list of licence keys')}
      action={t('Create')}
      failure={t('The list could not be created')}
      first={NEW_LIST}
      error={create.error}
      saving={create.isPending}
      onChange={() => create.error && create.reset()}
      onSave={(draft) => create.mutate(bodyOf(draft), { onSuccess: onClose })}
      onClose={() => onClose(null)}
    />
  )
}

export function EditList({ list, onClose }: { list: LicenceList; onClose: () => void }) {
  const edit = useChangeLicenceList(list.id, useKnown(list))
  return (
    <ListDialog
      exists
      title={t('Change {name}', { name: list.name })}
      action={t('Save')}
      failure={t('The list could not be changed')}
      first={draftOf(list)}
      error={edit.error}
      saving={edit.isPending}
      onChange={() => edit.error && edit.reset()}
      onSave={(draft) =>
        edit.mutate(bodyOf(draft), {
          onSuccess: () => {
            toast(t('List changed'))
            onClose()
          },
        })
      }
      onClose={onClose}
    />
  )
}

interface Props {
  exists?: boolean
  title: string
  action: string
  failure: string
  first: ListDraft
  error: Error | null
  saving: boolean
  onChange: () => void
  onSave: (draft: ListDraft) => void
  onClose: () => void
}

function ListDialog({ exists, title, action, failure, first, onClose, ...state }: Props) {
  const { error, saving, onChange, onSave } = state
  const [draft, setDraft] = useState(first)
  const [checked, setChecked] = useState(false)
  const own = problemsOfDraft(draft)
  const problems = problemsOf(checked ? own : [], objectionsIn(error))
  const submit = () => {
    setChecked(true)
    if (own.length === 0) onSave(draft)
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: action, onAction: submit, loading: saving }}
    >
      {error && problems.all.length === 0 && <Problem error={error} what={failure} />}
      <ListFields
        draft={draft}
        change={(part) => {
          setDraft({ ...draft, ...part })
          onChange()
        }}
        problems={problems}
        {...(exists ? { exists } : {})}
      />
    </Dialog>
  )
}
