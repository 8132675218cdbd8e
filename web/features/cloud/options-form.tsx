// The options of a connection: when, in which direction, which files, and deletions.
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import { type Connection, type SyncOptions, useChangeConnection } from './calls.ts'
import { LeaveGuard } from '../../shell/components/leave-guard.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { SaveBar } from '../../shell/components/save-bar.tsx'
import { useRecordDraft } from '../../shell/components/use-record-draft.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { t } from '../../shell/messages/t.ts'
import { BlockStack } from '../../shell/ui/index.ts'
import { FileFields, WhatFields, WhenFields } from './option-fields.tsx'
import { changedOptions, type Draft, draftOf, optionProblems } from './option-draft.ts'

export function OptionsForm({ connection }: { connection: Connection }) {
  const form = useRecordDraft({ record: connection, draftOf, changeOf: changedOptions })
  const { draft, change, dirty } = form
  const save = useChangeConnection(connection.id, useKnown(connection, dirty))
  const own = optionProblems(draft)
  const problems = problemsOf(own, objectionsIn(save.error))
  const submit = () => {
    if (own.length > 0) return
    save.mutate(change as Partial<SyncOptions>, {
      onSuccess: (saved) => {
        form.saved(saved, draft)
        toast(t('Options saved'))
      },
    })
  }
  const fields = {
    value: draft,
    problems,
    onChange: (part: Partial<Draft>) => {
      form.edit(part)
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
            form.discard()
            save.reset()
          }}
        />
      )}
    </>
  )
}
