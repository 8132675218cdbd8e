// One connection in the list: its state, its files, its last and next sync.
import { toast } from '../../shell/client/bridge.ts'
import { actionName } from '../../shell/labels/action-name.ts'
import { type Connection, useSync } from './calls.ts'
import { SmallError } from '../../shell/components/small-error.tsx'
import { StatusBadge } from '../operations/status.tsx'
import {
  connectionState,
  countsText,
  holdsText,
  rejectedText,
  nextSyncText,
  syncWord,
} from './labels.ts'
import { messageText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button, InlineStack, Link, SmallPrint, Text } from '../../shell/ui/index.ts'
import { SyncProgress } from './sync-progress.tsx'
import { SyncLink } from './sync-link.tsx'

export function ConnectionRow({ connection }: { connection: Connection }) {
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
