// What a workflow runs on: files that someone selects, or every import of a kind.
import { type ImportChannel, useWorkflows } from '../../client/workflows.ts'
import { fieldId, type Problems } from '../../components/problems.ts'
import { BlockStack, ChoiceList, Select } from '../../ui/index.ts'
import { CHANNELS } from '../../labels/workflow.ts'
import { stepOf, type WorkflowDraft } from './draft.ts'

interface Props {
  draft: WorkflowDraft
  change: (part: Partial<WorkflowDraft>) => void
  problems: Problems
}

/** What every import needs stands in this one. */
const MODEL = 'import-api'

export function RunsOn({ draft, change, problems }: Props) {
  const { data } = useWorkflows()
  const model = data?.data.find(({ id }) => id === MODEL)
  const channels = (data?.data ?? []).flatMap(({ built_in, channel }) =>
    built_in && channel !== null ? [channel] : [],
  )
  const choose = (kind: WorkflowDraft['kind']) => {
    const begin = kind === 'import' && draft.steps.length === 0 && model !== undefined
    change({ kind, ...(begin ? { steps: model.steps.map(stepOf), parallel: model.parallel } : {}) })
  }
  return (
    <BlockStack gap="400">
      <ChoiceList
        title="Runs on"
        error={problems.at('kind')}
        selected={[draft.kind]}
        onChange={([kind]) => choose(kind as WorkflowDraft['kind'])}
        choices={[
          {
            value: 'bulk',
            label: 'Selected files',
            helpText: 'You select files and run it from there, or a scheduled task does.',
          },
          {
            value: 'import',
            label: 'Imports',
            helpText:
              'Every import of the channel that it is attached to goes through these steps.',
            renderChildren: (selected) =>
              selected && (
                <div style={{ maxInlineSize: 320 }}>
                  <Select
                    label="Attached to"
                    id={fieldId('channel')}
                    error={problems.at('channel')}
                    options={[
                      { label: 'Nothing yet', value: '' },
                      ...withNow(channels, draft.channel).map((value) => ({
                        label: CHANNELS[value],
                        value,
                      })),
                    ]}
                    value={draft.channel ?? ''}
                    onChange={(channel) =>
                      change({ channel: channel === '' ? null : (channel as ImportChannel) })
                    }
                  />
                </div>
              ),
          },
        ]}
      />
      <div style={{ maxInlineSize: 560 }}>
        <Select
          label="Batches of files"
          id={fieldId('parallel')}
          helpText="Several at once are faster; their files don’t end in the order in which they began."
          error={problems.at('parallel')}
          options={batches(draft.parallel)}
          value={String(draft.parallel)}
          onChange={(parallel) => change({ parallel: Number(parallel) })}
        />
      </div>
    </BlockStack>
  )
}

/** Files can come only by the channels that have a workflow of their own to begin with. */
const withNow = (
  channels: readonly ImportChannel[],
  now: ImportChannel | null,
): ImportChannel[] => [...new Set(now === null ? channels : [...channels, now])]

/** One that someone set by the API is offered too. */
const batches = (now: number) =>
  [...new Set([1, 2, 4, 8, now])]
    .sort((a, b) => a - b)
    .map((count) => ({
      label: count === 1 ? 'One after another, in order' : `Up to ${count} at once`,
      value: String(count),
    }))
