// The cloud accounts and buckets that are synced, each with its state and last sync.
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { t } from '../../shell/messages/t.ts'
import {
  BlockStack,
  Card,
  Button,
  InlineStack,
  Link,
  SmallPrint,
  Text,
} from '../../shell/ui/index.ts'
import { toast } from '../../shell/client/bridge.ts'
import { actionName } from '../../shell/labels/action-name.ts'
import { SmallError } from '../../shell/components/small-error.tsx'
import { messageText } from '../../shell/messages/server-text.ts'
import { StatusBadge } from '../operations/status.tsx'
import { useCloud, useConnections, type Connection, useSync } from './calls.ts'
import { RcloneMissing } from './rclone-missing.tsx'
import './connections.css'
import {
  connectionState,
  countsText,
  holdsText,
  rejectedText,
  nextSyncText,
  syncWord,
} from './labels.ts'
import { SyncProgress } from './sync-progress.tsx'
import { SyncLink } from './sync-link.tsx'

export function ConnectionsPage() {
  const connections = useConnections()
  const cloud = useCloud()
  const list = connections.data?.data
  const connect = { content: t('Connect'), url: '/import/connections/new' }
  return (
    <Page
      title={t('Connections')}
      subtitle={t(
        'Folders and buckets in the cloud whose files are kept in sync with this library',
      )}
      backAction={{ content: t('Import'), url: '/import' }}
      primaryAction={list?.length ? connect : undefined}
    >
      <BlockStack gap="400">
        {cloud.data && <RcloneMissing cloud={cloud.data} />}
        <LoadProblem query={connections} what={t('The connections could not be loaded')} />
        {connections.isPending && (
          <Card padding="0">
            <LoadingRows rows={3} what={t('connections')} />
          </Card>
        )}
        {list?.length === 0 && (
          <Card>
            <Nothing why="new" heading={t('Nothing is connected yet')} action={connect}>
              {t(
                'Connect Google Drive, Dropbox, OneDrive, Amazon S3, Google Cloud Storage or Azure Blob. New and changed files are then imported automatically.',
              )}
            </Nothing>
          </Card>
        )}
        {list && list.length > 0 && (
          <Card padding="0">
            <ul className="connections" aria-label={t('Connections')}>
              {list.map((connection) => (
                <ConnectionRow key={connection.id} connection={connection} />
              ))}
            </ul>
          </Card>
        )}
      </BlockStack>
    </Page>
  )
}

// One connection in the list: its state, its files, its last and next sync.

function ConnectionRow({ connection }: { connection: Connection }) {
  const { id, name, provider_title, progress, error, rejected } = connection
  return (
    <li>
      <BlockStack gap="100" inlineAlign="start">
        <Link url={`/import/connections/${id}`} monochrome removeUnderline>
          <Text as="span" fontWeight="semibold" breakWord>
            {name}
          </Text>
        </Link>
        <SmallPrint>{`${provider_title} · ${holdsText(connection)}`}</SmallPrint>
        <StatusBadge word={connectionState(connection)} />
      </BlockStack>
      <BlockStack gap="100">
        {progress ? <SyncProgress progress={progress} /> : <LastSync connection={connection} />}
        {rejected > 0 && <Link url={`/import/connections/${id}`}>{rejectedText(rejected)}</Link>}
        {error && (
          <Text as="p" variant="bodySm" tone="critical" breakWord>
            {messageText(error)}
          </Text>
        )}
      </BlockStack>
      <RowActions connection={connection} />
    </li>
  )
}

function LastSync({ connection }: { connection: Connection }) {
  const { last_sync } = connection
  return (
    <>
      {last_sync ? (
        <InlineStack gap="200" blockAlign="center">
          <SmallPrint>{t('Last sync')}</SmallPrint>
          <StatusBadge word={syncWord(last_sync)} />
          <SyncLink sync={last_sync} />
          <SmallPrint>{countsText(last_sync)}</SmallPrint>
        </InlineStack>
      ) : (
        <Text as="span" tone="subdued">
          {t('Never synced')}
        </Text>
      )}
      <SmallPrint>{t('Next sync: {at}', { at: nextSyncText(connection) })}</SmallPrint>
    </>
  )
}

function RowActions({
  connection: { id, name, state, progress, last_sync },
}: {
  connection: Connection
}) {
  const sync = useSync()
  const url = `/import/connections/${id}`
  if (progress) return <span />
  if (state === 'unauthorized')
    return (
      <Button url={url} accessibilityLabel={t('Authorize {name}', { name })}>
        {t('Authorize')}
      </Button>
    )
  if (last_sync === null || last_sync.status === 'previewed') {
    const next = last_sync === null ? t('Set up') : t('Check the preview')
    return (
      <Button url={url} accessibilityLabel={actionName(next, name)}>
        {next}
      </Button>
    )
  }
  return (
    <BlockStack gap="100" inlineAlign="end">
      <Button
        loading={sync.isPending}
        accessibilityLabel={actionName(t('Sync now'), name)}
        onClick={() =>
          sync.mutate({ id, dry_run: false }, { onSuccess: () => toast(t('The sync has started')) })
        }
      >
        {t('Sync now')}
      </Button>
      <SmallError error={sync.error} />
    </BlockStack>
  )
}
