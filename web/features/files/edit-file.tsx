// Edits a single file: its name, its tags.
import { useState } from 'react'
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import { ApiError } from '../../shell/client/error.ts'
import { useTags } from '../../shell/client/queries.ts'
import { type FileDetail } from '../../shell/client/types.ts'
import { type FileChange, useChangeFile } from './version-calls.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { WordsField } from '../../shell/components/words-field.tsx'
import { TextField } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'

const SUGGESTED = 8

export function EditFile({ file, onClose }: { file: FileDetail; onClose: () => void }) {
  const change = useChangeFile(file.id, useKnown(file))
  const known = useTags()
  const [filename, setFilename] = useState(file.filename)
  const [tags, setTags] = useState<readonly string[]>(file.tags)
  const conflict = change.error instanceof ApiError && change.error.code === 'duplicate_filename'
  const problems = problemsOf(objectionsIn(change.error))
  const wrongName =
    problems.within('filename') ?? (conflict ? t('Another file has this name') : undefined)
  const submit = () => {
    const wanted: FileChange = {
      ...(filename.trim() === file.filename ? {} : { filename: filename.trim() }),
      ...(tags.join('\n') === file.tags.join('\n') ? {} : { tags: [...tags] }),
    }
    if (Object.keys(wanted).length === 0) return onClose()
    change.mutate(wanted, {
      onSuccess: () => {
        toast(t('File changed'))
        onClose()
      },
    })
  }
  return (
    <Dialog
      title={t('Edit {filename}', { filename: file.filename })}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: t('Save'), onAction: submit, loading: change.isPending }}
    >
      {change.error && !wrongName && !problems.within('tags') && (
        <Problem error={change.error} what={t('The file could not be changed')} />
      )}
      <TextField
        label={t('Name')}
        autoFocus
        value={filename}
        error={filename.trim() === '' ? t('Enter a name') : wrongName}
        onChange={(text) => {
          setFilename(text)
          change.reset()
        }}
      />
      <WordsField
        label={t('Tags')}
        value={tags}
        error={problems.within('tags')}
        suggestions={(known.data?.data ?? [])
          .slice(0, SUGGESTED)
          .map(({ tag }) => ({ value: tag, text: tag }))}
        onChange={(words) => {
          setTags(words)
          change.reset()
        }}
      />
    </Dialog>
  )
}
