// The dialogs about a saved view: its name, and its deletion.
import { useState } from 'react'
import { toast } from '../client/bridge.ts'
import { ApiError } from '../client/error.ts'
import { DeleteDialog } from '../components/delete-dialog.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Problem } from '../components/problem.tsx'
import { objectionsIn, problemsOf } from '../components/problems.ts'
import { Text, TextField } from '../ui/index.ts'
import {
  type SavedView,
  useChangeView,
  useDeleteView,
  useSaveView,
  type ViewContent,
} from './view-calls.ts'
import { t } from '../messages/t.ts'

interface NameProps {
  list: SavedView['list']
  title: string
  save: string
  start: string
  saving: boolean
  error: Error | null
  /** The name was changed: an earlier error is about another name. */
  onChange: () => void
  onSave: (name: string) => void
  onClose: () => void
}

const MAX_NAME = 50

function ViewName(props: NameProps) {
  const { list, title, save, start, saving, error, onChange, onSave, onClose } = props
  const [name, setName] = useState(start)
  const [empty, setEmpty] = useState(false)
  const refused =
    problemsOf(objectionsIn(error)).at('name') ??
    (error instanceof ApiError && error.status === 409 ? error.message : undefined)
  const submit = () => {
    setEmpty(name.trim() === '')
    if (name.trim() !== '' && !saving) onSave(name.trim())
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: save, onAction: submit, loading: saving }}
    >
      {error && refused === undefined && (
        <Problem error={error} what={t('The view could not be saved')} />
      )}
      <TextField
        label={t('Name')}
        maxLength={MAX_NAME}
        value={name}
        error={empty ? t('Enter a name for the view') : refused}
        onChange={(text) => {
          setEmpty(false)
          setName(text)
          onChange()
        }}
      />
      <Text as="p" tone="subdued" variant="bodySm">
        {list === 'files'
          ? t('Everybody in the shop sees the view: its search, filters, order and columns.')
          : t('Everybody in the shop sees the view: its search and filters.')}
      </Text>
    </Dialog>
  )
}

export function SaveView(props: {
  list: SavedView['list']
  content: ViewContent
  onClose: () => void
  onSaved: (view: SavedView) => void
}) {
  const { list, content, onClose, onSaved } = props
  const save = useSaveView()
  return (
    <ViewName
      list={list}
      title={t('Save view')}
      save={t('Save')}
      start=""
      saving={save.isPending}
      error={save.error}
      onChange={save.reset}
      onSave={(name) =>
        save.mutate(
          { list, name, ...content },
          {
            onSuccess: (view) => {
              onClose()
              onSaved(view)
            },
          },
        )
      }
      onClose={onClose}
    />
  )
}

export function RenameView({ view, onClose }: { view: SavedView; onClose: () => void }) {
  const change = useChangeView()
  return (
    <ViewName
      list={view.list}
      title={t('Rename view')}
      save={t('Rename')}
      start={view.name}
      saving={change.isPending}
      error={change.error}
      onChange={change.reset}
      onSave={(name) => change.mutate({ id: view.id, name }, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}

export function DeleteView(props: { view: SavedView; onClose: () => void; onDeleted: () => void }) {
  const { view, onClose, onDeleted } = props
  const remove = useDeleteView()
  const gone = () => {
    toast(t('View deleted'))
    onClose()
    onDeleted()
  }
  return (
    <DeleteDialog
      open
      title={t('Delete the view “{name}”?', { name: view.name })}
      deleting={remove.isPending}
      error={remove.error}
      onDelete={() => remove.mutate(view.id, { onSuccess: gone })}
      onClose={onClose}
    >
      <Text as="p">
        {view.list === 'files'
          ? t('It is deleted for everybody in the shop. The files that it shows stay.')
          : t('It is deleted for everybody in the shop. What it lists stays.')}
      </Text>
    </DeleteDialog>
  )
}
