// The form of one trigger of a workflow.
import { useState } from 'react'
import { type ImportSource, useHookAddress } from '../../shell/client/workflows.ts'
import { Code } from '../../shell/components/copy.tsx'
import { EVENTS } from '../../shell/labels/events.ts'
import { NumberField } from '../../shell/components/number-field.tsx'
import { fieldId, type Problems } from '../../shell/components/problems.ts'
import { FilterFields } from '../../shell/files/filter-fields.tsx'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button, Hint, InlineError, Select, TextField } from '../../shell/ui/index.ts'
import { useConnections } from '../cloud/calls.ts'
import { useCsvMappings } from '../csv/calls.ts'
import { useDropAccounts } from '../drop/calls.ts'
import { useFeeds } from '../feeds/calls.ts'
import { useChannels } from '../imports/channel-calls.ts'
import { useApiKeys } from '../settings/api-key-calls.ts'
import { type TriggerDraft } from './draft.ts'
import { collectText } from './when-text.ts'

interface Props {
  trigger: TriggerDraft
  path: string
  problems: Problems
  onChange: (part: Partial<TriggerDraft>) => void
}

export function TriggerForm(props: Props) {
  const { trigger, path, problems, onChange } = props
  if (trigger.kind === 'imports') return <SourceFields {...props} />
  if (trigger.kind === 'orders') return <OrdersHint path={path} problems={problems} />
  return (
    <BlockStack gap="400">
      {trigger.kind === 'event' ? (
        <Select
          label={t('When')}
          id={fieldId(`${path}.event`)}
          error={problems.at(`${path}.event`)}
          options={[...EVENTS].map(([value, label]) => ({ value, label }))}
          value={trigger.event ?? ''}
          onChange={(event) => onChange({ event })}
        />
      ) : (
        <HookAddress trigger={trigger} />
      )}
      <FilterFields
        value={trigger.which}
        onChange={(which) => onChange({ which })}
        path={`${path}.which`}
        problems={problems}
      />
      <Limits {...props} />
    </BlockStack>
  )
}

const WAITS = [0, 10, 60, 600, 3600, 21_600, 86_400]

const Limits = ({ trigger, path, problems, onChange }: Props) => (
  <div className="fields">
    <Select
      label={t('Collect what comes for')}
      id={fieldId(`${path}.collect`)}
      helpText={t('From the first event. One run takes all of them.')}
      options={[...new Set([...WAITS, trigger.collect])]
        .sort((a, b) => a - b)
        .map((seconds) => ({ value: String(seconds), label: collectText(seconds) }))}
      value={String(trigger.collect)}
      onChange={(seconds) => onChange({ collect: Number(seconds) })}
    />
    <NumberField
      label={t('At most this many files an hour')}
      id={fieldId(`${path}.max_files`)}
      help={t('Above it, or above 60 runs an hour, it pauses and tells you.')}
      error={problems.at(`${path}.max_files`) ?? ''}
      none={t('Any number')}
      start={1000}
      value={trigger.max_files}
      onChange={(value) => onChange({ max_files: value as number | null })}
    />
  </div>
)

const OrdersHint = ({ path, problems }: Pick<Props, 'path' | 'problems'>) => {
  const wrong = problems.within(path)
  return (
    <BlockStack gap="200">
      <Hint>
        {t(
          'One workflow prepares the deliveries of all orders. If a step fails, the delivery is held and you are told why.',
        )}
      </Hint>
      {wrong && <InlineError message={wrong} fieldID={fieldId(`${path}.kind`)} />}
    </BlockStack>
  )
}

// Where imports come from.

const valueOf = (from: ImportSource | null): string => {
  const [given] = Object.entries(from ?? {}).filter(([name]) => name !== 'folder')
  return given ? given.join('=') : ''
}

function sourceOf(value: string): ImportSource | null {
  const at = value.indexOf('=')
  return at < 0 ? null : { [value.slice(0, at)]: value.slice(at + 1) }
}

function SourceFields({ trigger, path, problems, onChange }: Props) {
  const { from } = trigger
  return (
    <div className="fields">
      <Select
        label={t('Attached to')}
        id={fieldId(`${path}.from`)}
        error={problems.at(`${path}.from`) ?? problems.at('channel')}
        options={useSourceChoices(valueOf(from))}
        value={valueOf(from)}
        onChange={(value) => onChange({ from: sourceOf(value) })}
      />
      {from?.drop_account !== undefined && (
        <>
          <TextField
            label={t('Only of this folder')}
            helpText={t('A folder in the home of the drop folder; empty: all of them.')}
            value={from.folder ?? ''}
            onChange={(folder) => onChange({ from: withFolder(from, folder) })}
          />
          <Select
            label={t('If the name is taken')}
            options={[
              { value: '', label: t('As the drop folder’s settings say') },
              { value: 'error', label: t('The import of the file fails') },
              { value: 'skip', label: t('The new file is left out') },
              { value: 'rename', label: t('The new file gets a number') },
              { value: 'new_version', label: t('It becomes the next version') },
              { value: 'overwrite', label: t('It replaces the file') },
            ]}
            value={trigger.on_conflict ?? ''}
            onChange={(rule) =>
              onChange({ on_conflict: (rule || null) as TriggerDraft['on_conflict'] })
            }
          />
          <NumberField
            label={t('Import a file after it was unchanged for this many seconds')}
            error={problems.at(`${path}.quiet_seconds`) ?? ''}
            none={t('As usual')}
            start={60}
            value={trigger.quiet_seconds}
            onChange={(value) => onChange({ quiet_seconds: value as number | null })}
          />
        </>
      )}
    </div>
  )
}

const withFolder = ({ drop_account }: ImportSource, folder: string): ImportSource => ({
  ...(drop_account === undefined ? {} : { drop_account }),
  ...(folder.trim() === '' ? {} : { folder }),
})

/** The sources to choose from; `now`: one that may not exist any more. */
function useSourceChoices(now: string) {
  const channels = useChannels().filter(({ imports }) => imports !== null)
  const group = (title: string, field: keyof ImportSource, list: readonly Named[] | undefined) => ({
    title,
    options: (list ?? []).map(({ id, name }) => ({ value: `${field}=${id}`, label: name })),
  })
  const named = (list: { data: readonly { id: string; name: string }[] } | undefined) => list?.data
  const groups = [
    {
      title: t('All imports of a kind'),
      options: channels.map(({ id, title, imports }) => ({
        value: `channel=${id}`,
        label: imports?.plural ?? title,
      })),
    },
    group(t('One account of the drop folder'), 'drop_account', named(useDropAccounts().data)),
    group(t('One cloud connection'), 'connection', named(useConnections().data)),
    group(t('One feed'), 'feed', named(useFeeds().data)),
    group(
      t('CSV files with a saved mapping'),
      'csv_mapping',
      named(useCsvMappings().data)?.map(({ name }) => ({ id: name, name })),
    ),
    group(t('API imports with one key'), 'api_key', named(useApiKeys().data)),
  ].filter(({ options }) => options.length > 0)
  const isKnown = groups.some(({ options }) => options.some(({ value }) => value === now))
  return [
    { label: t('Nothing yet'), value: '' },
    ...groups,
    ...(now === '' || isKnown ? [] : [{ label: now.slice(now.indexOf('=') + 1), value: now }]),
  ]
}

interface Named {
  id: string
  name: string
}

/** The address of a hook, which is shown once. */
function HookAddress({ trigger: { id, has_address } }: { trigger: TriggerDraft }) {
  const create = useHookAddress()
  const [address, setAddress] = useState<string | null>(null)
  if (id === undefined) return <Hint>{t('Save the workflow, then create its address here.')}</Hint>
  return (
    <BlockStack gap="200">
      {address === null ? (
        <div>
          <Button
            loading={create.isPending}
            onClick={() => create.mutate(id, { onSuccess: (answer) => setAddress(answer.address) })}
          >
            {has_address ? t('Create a new address') : t('Create the address')}
          </Button>
        </div>
      ) : (
        <>
          <Code text={address} what={t('the address')} wrap />
          <Hint>
            {t('It is shown only now. Who knows it can start this workflow: keep it secret.')}
          </Hint>
        </>
      )}
      {create.error && <InlineError message={create.error.message} fieldID="" />}
      {has_address && address === null && <Hint>{t('A new address ends the earlier one.')}</Hint>}
    </BlockStack>
  )
}
