// The filters of the history, and the applied ones.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { type Channel, useChannels } from '../imports/channel-calls.ts'
import { usePlugins } from '../../shell/client/plugins.ts'
import { useSession } from '../../shell/client/queries.ts'
import { type OperationStatus } from '../../shell/client/types.ts'
import { useWorkflows } from '../../shell/client/workflows.ts'
import { useRequester } from './use-requester.ts'
import { EVERY_OPERATION, type OperationsUrlState } from './url-state.ts'
import { useDraft } from '../../shell/url-state/use-draft.ts'
import { type UrlState } from '../../shell/url-state/use-url-state.ts'
import { BlockStack, Checkbox, ChoiceList, Filters, TextField } from '../../shell/ui/index.ts'
import { channelText } from '../imports/labels.ts'
import { actionChoices, operationTitle } from './labels.ts'
import { OPERATION_STATUSES } from './operation-status.ts'
import { dayText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  urlState: OperationsUrlState
  go: UrlState<OperationsUrlState>['go']
}

const KINDS = { import: t('Imports'), bulk: t('Bulk operations') } as const

export function OperationsFilters({ urlState, go, loading }: Props & { loading: boolean }) {
  const actions = actionChoices(useWorkflows().data?.data ?? [], usePlugins().data?.channel_actions)
  const channels = useChannels()
  // A search makes one history entry, not one for each letter.
  const search = useDraft(urlState.search, (text) =>
    go({ search: text }, { replace: urlState.search !== '' && text !== '' }),
  )
  const one = (key: ChoiceKey, label: string, words: Record<string, string>) => ({
    key,
    label,
    pinned: true,
    filter: <ChoiceFilter of={key} label={label} words={words} urlState={urlState} go={go} />,
  })
  const requester = useRequester()
  return (
    <Filters
      queryValue={search.text}
      queryPlaceholder={t('Search operations by name')}
      onQueryChange={search.change}
      onQueryClear={search.clear}
      onClearAll={() => go(EVERY_OPERATION)}
      loading={loading}
      filters={[
        one('status', t('Status'), statusTexts()),
        one('kind', t('Kind'), KINDS),
        one('action', t('Action'), actions),
        one('channel', t('Channel'), titlesOf(channels)),
        {
          key: 'who',
          label: t('Started by'),
          pinned: true,
          filter: <RequesterFilter urlState={urlState} go={go} />,
        },
        {
          key: 'date',
          label: t('Date'),
          pinned: true,
          filter: <DateFilter urlState={urlState} go={go} />,
        },
        ...(urlState.schedule_id === '' ? [] : [SCHEDULE_FILTER]),
        ...(urlState.error === '' ? [] : [CAUSE_FILTER]),
      ]}
      appliedFilters={appliedFilters(urlState, go, { actions, channels, requester })}
    />
  )
}

/** Set only by a link from the task's page, and shown only if it is applied. */
const SCHEDULE_FILTER = {
  key: 'schedule',
  label: t('Scheduled task'),
  filter: <p>{t('The runs of one scheduled task')}</p>,
  pinned: true,
}

/** Set only by a link from the home page. */
const CAUSE_FILTER = {
  key: 'error',
  label: t('Reason'),
  filter: <p>{t('Operations that were stopped, or in which files failed, for one reason')}</p>,
  pinned: true,
}

type ChoiceKey = 'status' | 'kind' | 'action' | 'channel'

interface ChoiceProps extends Props {
  of: ChoiceKey
  label: string
  words: Record<string, string>
}

const ChoiceFilter = ({ of, label, words, urlState, go }: ChoiceProps) => (
  <ChoiceList
    title={label}
    titleHidden
    selected={urlState[of] ? [urlState[of]] : []}
    onChange={([chosen]) => go({ [of]: chosen })}
    choices={Object.entries(words).map(([value, text]) => ({ value, label: text }))}
  />
)

const titlesOf = (channels: readonly Channel[]): Record<string, string> =>
  Object.fromEntries(channels.map(({ id, title }) => [id, title]))

const statusTexts = (): Record<string, string> =>
  Object.fromEntries(Object.entries(OPERATION_STATUSES).map(([status, { text }]) => [status, text]))

function RequesterFilter({ urlState, go }: Props) {
  const me = useSession().data?.user ?? ''
  const draft = useDraft(urlState.requested_by, (requested_by) =>
    go({ requested_by: requested_by.trim() }),
  )
  const mine = me !== '' && urlState.requested_by === me
  return (
    <BlockStack gap="300">
      <Checkbox
        label={t('You')}
        checked={mine}
        disabled={me === ''}
        onChange={(on) => go({ requested_by: on ? me : '' })}
      />
      <TextField
        label={t('Name of the API key')}
        value={mine ? '' : draft.text}
        onChange={draft.change}
      />
    </BlockStack>
  )
}

function DateFilter({ urlState, go }: Props) {
  const from = useDraft(urlState.from, (day) => go({ from: day }))
  const to = useDraft(urlState.to, (day) => go({ to: day }))
  return (
    <BlockStack gap="300">
      <TextField label={t('From')} type="date" value={from.text} onChange={from.change} />
      <TextField label={t('To')} type="date" value={to.text} onChange={to.change} />
    </BlockStack>
  )
}

interface KnownNames {
  actions: Record<string, string>
  channels: readonly Channel[]
  requester: (requestedBy: string) => string
}

function appliedFilters(
  urlState: OperationsUrlState,
  go: Props['go'],
  { actions, channels, requester }: KnownNames,
) {
  const { status, kind, action, channel, requested_by, schedule_id, error, from, to, waiting } =
    urlState
  const list: { key: string; label: string; onRemove: () => void }[] = []
  const add = (key: string, label: string | false, without: Partial<OperationsUrlState>) =>
    label && list.push({ key, label, onRemove: () => go(without) })
  add(
    'status',
    status !== null &&
      t('Status: {status}', { status: OPERATION_STATUSES[status as OperationStatus].text }),
    { status: null },
  )
  add('kind', kind !== null && t('Kind: {kind}', { kind: KINDS[kind] }), { kind: null })
  const named =
    ownValue(actions, action) ?? operationTitle({ kind: 'bulk', channel: '', action }, channels)
  add('action', action !== '' && t('Action: {action}', { action: named }), { action: '' })
  add(
    'channel',
    channel !== '' && t('Channel: {channel}', { channel: channelText(channels, channel) }),
    { channel: '' },
  )
  add('who', requested_by !== '' && t('Started by: {name}', { name: requester(requested_by) }), {
    requested_by: '',
  })
  add('schedule', schedule_id !== '' && t('One scheduled task'), { schedule_id: '' })
  add('waiting', waiting !== null && t('Waiting for their next part'), { waiting: null })
  add('error', error !== '' && t('One reason for failures'), { error: '' })
  add('date', dateRange(from, to), { from: '', to: '' })
  return list
}

function dateRange(from: string, to: string): string | false {
  if (from !== '' && from === to) return dayText(from)
  const days = { from: dayText(from), to: dayText(to) }
  if (from !== '' && to !== '') return t('Date from {from} to {to}', days)
  if (from !== '') return t('Date from {from}', days)
  return to !== '' && t('Date to {to}', days)
}
