// The options of a connection: when, in which direction, which files, and deletions.
import { useState } from 'react'
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import { type Connection, type SyncOptions, useChangeConnection } from './calls.ts'
import { LeaveGuard } from '../../shell/components/leave-guard.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { SaveBar } from '../../shell/components/save-bar.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { changedFields } from '../../shell/labels/changes.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack } from '../../shell/ui/index.ts'
import { FileFields, WhatFields, WhenFields } from './option-fields.tsx'
import { changedOptions, type Draft, optionProblems } from './option-draft.ts'

export function OptionsForm({ connection }: { connection: Connection }) {
  const [draft, setDraft] = useState<Draft>({})
  const change = changedOptions(connection, draft)
  const dirty = Object.keys(change).length > 0
  const save = useChangeConnection(connection.id, useKnown(connection, dirty))
  const own = optionProblems(draft)
  const problems = problemsOf(own, objectionsIn(save.error))
  const submit = () => {
    if (own.length > 0) return
    save.mutate(change as Partial<SyncOptions>, {
      onSuccess: () => {
        setDraft((now) => changedFields(draft, now))
        toast(t('Options saved'))
      },
    })
  }
  const fields = {
    value: { ...connection, ...draft },
    problems,
    onChange: (part: Draft) => {
      setDraft((before) => ({ ...before, ...part }))
      if (save.error) save.reset()
    },
  }
  return (
    <>
      <LeaveGuard dirty={dirty} what={t('the options')} />
      {save.error && problems.all.length === 0 && (
        <Problem error={save.error} what={t('The options could not be saved')} />
      )}
      <Titled title={t('Options')}>
        <BlockStack gap="500">
          <WhenFields {...fields} />
          <WhatFields {...fields} />
          <FileFields {...fields} />
        </BlockStack>
      </Titled>
      {(dirty || save.isPending) && (
        <SaveBar
          dirty={dirty}
          saving={save.isPending}
          problems={problems.all.length}
          save={t('Save')}
          onSave={submit}
          onDiscard={() => {
            setDraft({})
            save.reset()
          }}
        />
      )}
    </>
  )
}
