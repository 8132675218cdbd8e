// What starts a workflow, as sentences.
import { type ImportSource } from '../../shell/client/workflows.ts'
import { t } from '../../shell/messages/t.ts'
import { type Channel } from '../imports/channel-calls.ts'
import { conditionSentence } from './condition-text.ts'
import { type TriggerDraft } from './draft.ts'

/** The events that start workflows, as the end of a sentence that begins with “when”. */
export const EVENTS: ReadonlyMap<string, string> = new Map([
  ['file.imported', t('files were imported')],
  ['file.changed', t('files were changed')],
  ['file.replaced', t('files got new contents')],
  ['mapping.changed', t('files got other products')],
  ['file.trashed', t('files were moved to the trash')],
  ['link.exhausted', t('a link is used up')],
  ['delivery.ready', t('a delivery is ready')],
  ['delivery.downloaded', t('a buyer downloads')],
  ['order.refunded', t('a buyer loses files, because an order was refunded')],
  ['sync.finished', t('a cloud folder was synchronised')],
  ['workflow.failed', t('files failed in a run of a workflow')],
])

const MINUTE = 60
const HOUR = 3600

export function collectText(seconds: number): string {
  if (seconds < MINUTE)
    return t('{count, plural, one {# second} other {# seconds}}', { count: seconds })
  if (seconds < HOUR || seconds % HOUR !== 0)
    return t('{count, plural, one {# minute} other {# minutes}}', {
      count: Math.round(seconds / MINUTE),
    })
  return t('{count, plural, one {# hour} other {# hours}}', { count: seconds / HOUR })
}

/** The names of what triggers refer to, by their ids. */
export interface SourceNames {
  channels: readonly Channel[]
  names: ReadonlyMap<string, string>
}

/** Where imports come from: `files of the drop account “Supplier A”`. */
function sourceText(from: ImportSource, { channels, names }: SourceNames): string {
  const { channel, drop_account: account, folder, connection, csv_mapping, api_key } = from
  const nameOf = (id: string) => names.get(id) ?? id
  if (account !== undefined)
    return folder
      ? t('files of the drop account “{name}” in the folder {folder}', {
          name: nameOf(account),
          folder,
        })
      : t('files of the drop account “{name}”', { name: nameOf(account) })
  if (connection !== undefined)
    return t('syncs of the connection “{name}”', { name: nameOf(connection) })
  if (csv_mapping !== undefined)
    return t('CSV files with the saved mapping “{name}”', { name: csv_mapping })
  if (api_key !== undefined)
    return t('API imports with the key “{name}”', { name: nameOf(api_key) })
  const known = channels.find(({ id }) => id === channel)
  return known?.imports?.plural ?? channel ?? ''
}

/** The trigger as a sentence. */
export function triggerSentence(trigger: TriggerDraft, names: SourceNames): string {
  const { kind, from, event, which, collect } = trigger
  if (kind === 'imports')
    return from
      ? t('For {source}', { source: sourceText(from, names) })
      : t('For imports of a source that you choose')
  const wait = collectText(collect)
  const begin =
    kind === 'hook'
      ? t('When a program calls its address')
      : t('When {event}', { event: EVENTS.get(event ?? '') ?? event ?? '' })
  const only = conditionSentence(which)
  const when = only === null ? begin : t('{begin}. {only}', { begin, only })
  return t('{when}. Runs {wait} later, on all that came.', { when, wait })
}
