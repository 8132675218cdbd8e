// The sync that runs, waits for confirmation or ended last, and a button to start one.
import { toast } from '../../shell/client/bridge.ts'
import { type Connection, type Sync, useSync } from './calls.ts'
import { Figures } from '../../shell/components/facts.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { StatusBadge } from '../operations/status.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { countsText, holdsText, nextSyncText, previewReasonText, syncWord } from './labels.ts'
import { numberText, sizeText } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'
import { messageText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack, Button, Hint, InlineStack, Text } from '../../shell/ui/index.ts'
import { SyncActions, SyncProgress } from './sync-progress.tsx'

export function SyncCard({ connection }: { connection: Connection }) {
  const { progress, last_sync, state } = connection
  const waits = !progress && last_sync?.status === 'previewed'
  return (
    <Titled
      title={last_sync === null && !progress ? t('First sync') : t('Sync')}
      help={`${holdsText(connection)} · ${t('Next sync: {at}', { at: nextSyncText(connection) })}`}
      action={
        !progress && !waits && state !== 'unauthorized' ? <Start connection={connection} /> : null
      }
    >
      {progress ? (
        <SyncProgress progress={progress} wide />
      ) : waits ? (
        <Waiting sync={last_sync} />
      ) : last_sync ? (
        <Ended sync={last_sync} />
      ) : (
        <Hint>
          {t(
            'The preview lists what the first sync would import, without changing anything. You confirm it afterwards.',
          )}
        </Hint>
      )}
    </Titled>
  )
}

function Start({ connection: { id, last_sync } }: { connection: Connection }) {
  const sync = useSync()
  const start = (dry_run: boolean) =>
    sync.mutate(
      { id, dry_run },
      {
        onSuccess: () => toast(dry_run ? t('The preview has started') : t('The sync has started')),
      },
    )
  const busy = (dry_run: boolean) => sync.isPending && sync.variables.dry_run === dry_run
  const first = last_sync === null
  return (
    <BlockStack gap="200" inlineAlign="end">
      <InlineStack gap="200">
        <Button
          variant={first ? 'primary' : undefined}
          loading={busy(true)}
          disabled={sync.isPending}
          onClick={() => start(true)}
        >
          {first ? t('Preview the first sync') : t('Preview')}
        </Button>
        <Button
          variant={first ? undefined : 'primary'}
          loading={busy(false)}
          disabled={sync.isPending}
          onClick={() => start(false)}
        >
          {t('Sync now')}
        </Button>
      </InlineStack>
      {sync.error && <Problem error={sync.error} what={t('The sync could not be started')} />}
    </BlockStack>
  )
}

const DANGERS: readonly Sync['preview_reason'][] = ['deletions', 'changed']

function Waiting({ sync }: { sync: Sync }) {
  return (
    <BlockStack gap="400">
      <Banner
        tone={DANGERS.includes(sync.preview_reason) ? 'warning' : 'info'}
        title={t('The sync waits for your confirmation')}
      >
        <p>{previewReasonText(sync.preview_reason)}</p>
      </Banner>
      <Counted sync={sync} />
      {sync.operation_id && <SyncActions id={sync.operation_id} />}
    </BlockStack>
  )
}

function Ended({ sync }: { sync: Sync }) {
  const { error, finished_at, started_at } = sync
  return (
    <BlockStack gap="400">
      <InlineStack gap="200" blockAlign="center">
        <StatusBadge word={syncWord(sync)} />
        <Text as="span">
          {t('{at}: {counts}', {
            at: momentText(finished_at ?? started_at),
            counts: error ? messageText(error) : countsText(sync),
          })}
        </Text>
      </InlineStack>
      {!error && sync.status !== 'cancelled' && <Counted sync={sync} />}
      {sync.operation_id && <SyncActions id={sync.operation_id} />}
    </BlockStack>
  )
}

function Counted({ sync }: { sync: Sync }) {
  const { listed, added, changed, renamed, removed, uploaded, conflicts, ignored, failed } = sync
  const { rejected } = sync
  const rows: [string, number][] = [
    [t('At the provider'), listed],
    [t('New'), added],
    [t('Changed', {}, 'number of files'), changed],
    [t('Renamed'), renamed],
    [t('Removed'), removed],
    [t('Left out'), ignored],
    [t('Failed'), failed],
  ]
  if (uploaded > 0) rows.push([t('Sent to the provider'), uploaded])
  if (rejected > 0) rows.push([t('Cannot be imported'), rejected])
  if (conflicts > 0) rows.push([t('Conflicts'), conflicts])
  return (
    <Figures
      rows={[
        ...rows.map(([name, count]) => [name, numberText(count)] as const),
        ...(sync.bytes > 0 ? [[t('Size'), sizeText(sync.bytes)] as const] : []),
      ]}
    />
  )
}
