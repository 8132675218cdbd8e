// Changes the chosen files' tags: in the place of those they have, beside them, or takes some away.
import { useState } from 'react'
import { ApiError } from '../../../client/error.ts'
import { useStartOperation } from '../../../client/operations.ts'
import { TagWords } from '../../../components/filter-fields.tsx'
import { Banner, ChoiceList } from '../../../ui/index.ts'
import { countText } from '../../../labels/size.ts'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'
import { TagTemplates } from './tag-templates.tsx'

type Mode = 'replace' | 'add' | 'remove'

const RUN: Record<Mode, string> = { replace: 'Replace tags', add: 'Add tags', remove: 'Remove tags' }

export function TagsDialog(props: BulkProps) {
  const start = useStartOperation()
  const [mode, setMode] = useState<Mode>('replace')
  const [tags, setTags] = useState<string[]>([])
  const [missing, setMissing] = useState(false)
  const refusal =
    start.error instanceof ApiError ? start.error.details.find(({ param }) => param.includes('tags')) : null
  const none = tags.length === 0
  // Replacing by nothing may be meant: one is told what it does, and asked for it once more.
  const [warned, setWarned] = useState(false)
  const clears = warned && mode === 'replace' && none
  const changed = () => {
    setMissing(false)
    setWarned(false)
    if (start.error) start.reset()
  }
  const change = (next: readonly string[]) => {
    setTags([...next])
    changed()
  }
  return (
    <BulkDialog
      {...props}
      title={`Tags of ${countText(props.chosen.count, 'file', 'files')}`}
      run={clears ? 'Remove all tags' : RUN[mode]}
      destructive={clears}
      start={start}
      error={refusal ? null : start.error}
      work={() => {
        if (!none || clears) return { action: 'tag-files', options: { mode, tags } }
        if (mode === 'replace') setWarned(true)
        else setMissing(true)
        return null
      }}
    >
      <ChoiceList
        title="What to do"
        selected={[mode]}
        onChange={([choice]) => {
          setMode(choice as Mode)
          changed()
        }}
        choices={[
          { value: 'replace', label: 'Replace the tags they have' },
          { value: 'add', label: 'Add to the tags they have' },
          { value: 'remove', label: 'Remove these tags' },
        ]}
      />
      <TagWords
        label="Tags"
        placeholder="Type a tag and press Enter"
        error={missing ? `Name at least one tag to ${mode}` : refusal?.message}
        value={tags}
        onChange={change}
      />
      <TagTemplates tags={tags} onPick={change} />
      {clears && (
        <Banner tone="warning">
          <p>No tag is named here: every tag that these files have will be removed.</p>
        </Banner>
      )}
    </BulkDialog>
  )
}
