// What a workflow runs on: selected files, or every import of a channel.
import { type Channel, useChannels } from '../imports/channel-calls.ts'
import { useWorkflows } from '../../shell/client/workflows.ts'
import { fieldId, type Problems } from '../../shell/components/problems.ts'
import { BlockStack, ChoiceList, Link, Select } from '../../shell/ui/index.ts'
import { stepOf, type WorkflowDraft } from './draft.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  draft: WorkflowDraft
  change: (part: Partial<WorkflowDraft>) => void
  problems: Problems
}

export function RunsOn({ draft, change, problems }: Props) {
  const { data } = useWorkflows()
  // The steps that every import needs: those of the first built-in import.
  const model = data?.data.find(({ built_in, kind }) => built_in && kind === 'import')
  const choose = (kind: WorkflowDraft['kind']) => {
    const begin = kind === 'import' && draft.steps.length === 0 && model !== undefined
    change({ kind, ...(begin ? { steps: model.steps.map(stepOf), parallel: model.parallel } : {}) })
  }
  return (
    <BlockStack gap="400">
      <ChoiceList
        title={t('Runs on')}
        error={problems.at('kind')}
        selected={[draft.kind]}
        onChange={([kind]) => choose(kind as WorkflowDraft['kind'])}
        choices={[
          {
            value: 'bulk',
            label: t('Selected files'),
            helpText: t('You run it on selected files, or a scheduled task runs it.'),
          },
          {
            value: 'delivery',
            label: t('Deliveries'),
            helpText: t(
              'Runs when an order is delivered, before its buyer gets the files. If a step fails, the delivery is held and you are told why.',
            ),
            renderChildren: (selected) =>
              selected && (
                <Link url="/settings/deliveries">
                  {t('Choose the workflow of deliveries in the settings')}
                </Link>
              ),
          },
          {
            value: 'import',
            label: t('Imports'),
            helpText: t(
              'Every import of the channel that it is attached to goes through these steps.',
            ),
            renderChildren: (selected) =>
              selected && <AttachedTo draft={draft} change={change} problems={problems} />,
          },
        ]}
      />
      {draft.kind !== 'delivery' && (
        <ParallelBatches draft={draft} change={change} problems={problems} />
      )}
    </BlockStack>
  )
}

const ParallelBatches = ({ draft, change, problems }: Props) => (
  <div style={{ maxInlineSize: 560 }}>
    <Select
      label={t('Batches of files')}
      id={fieldId('parallel')}
      helpText={t('Parallel batches are faster, but files may finish in a different order.')}
      error={problems.at('parallel')}
      options={batchChoices(draft.parallel)}
      value={String(draft.parallel)}
      onChange={(parallel) => change({ parallel: Number(parallel) })}
    />
  </div>
)

/** The channel whose imports go through the workflow. */
function AttachedTo({ draft, change, problems }: Props) {
  const channels = useChannels().filter(({ imports }) => imports !== null)
  return (
    <div style={{ maxInlineSize: 320 }}>
      <Select
        label={t('Attached to')}
        id={fieldId('channel')}
        error={problems.at('channel')}
        options={[
          { label: t('Nothing yet'), value: '' },
          ...channels.map(({ id, title, imports }) => ({
            label: imports?.plural ?? title,
            value: id,
          })),
          ...missingChannel(channels, draft.channel),
        ]}
        value={draft.channel ?? ''}
        onChange={(channel) => change({ channel: channel === '' ? null : channel })}
      />
    </div>
  )
}

/** The channel that the workflow is attached to, if this installation no longer has it. */
const missingChannel = (channels: readonly Channel[], attached: string | null) =>
  attached === null || channels.some(({ id }) => id === attached)
    ? []
    : [{ label: attached, value: attached }]

/** Includes a value that was set through the API. */
const batchChoices = (now: number) =>
  [...new Set([1, 2, 4, 8, now])]
    .sort((a, b) => a - b)
    .map((count) => ({
      label:
        count === 1 ? t('One after another, in order') : t('Up to {count} in parallel', { count }),
      value: String(count),
    }))
