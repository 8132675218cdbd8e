// One connection: access, folder, options, the sync that runs or waits, and the last ones.
import { useEffect, useRef, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { toast } from '../../shell/client/bridge.ts'
import { together } from '../../shell/client/together.ts'
import { UnloadedPage } from '../../shell/components/unloaded-page.tsx'
import { DeleteDialog } from '../../shell/components/delete-dialog.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { messageText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'
import { Badge, Banner, BlockStack, Text, Box, Card, Heading } from '../../shell/ui/index.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Quiet } from '../../shell/components/quiet.tsx'
import { isMoving, useOperation } from '../operations/calls.ts'
import { StatusBadge } from '../operations/status.tsx'
import {
  type Cloud,
  type Connection,
  useCloud,
  useConnection,
  useDeleteConnection,
  type Sync,
  useSyncs,
} from './calls.ts'
import { connectionState, countsText, syncWord } from './labels.ts'
import { AccessCard } from './access-card.tsx'
import { EditAccess } from './edit-access.tsx'
import { OptionsForm } from './options-form.tsx'
import { RejectionsCard } from './rejections-card.tsx'
import { RcloneMissing } from './rclone-missing.tsx'
import { SyncCard } from './sync-card.tsx'
import './connections.css'
import { SyncLink } from './sync-link.tsx'
import { useAuthorize } from './use-authorize.ts'

export function ConnectionPage({ id }: { id: string }) {
  const connection = useConnection(id)
  const cloud = useCloud()
  if (connection.data && cloud.data)
    return <Loaded connection={connection.data} query={connection} cloud={cloud.data} />
  const needed = together([connection, cloud])
  return (
    <UnloadedPage
      query={needed}
      back={{ content: t('Connections'), url: '/import/connections' }}
      title={t('Connection')}
      what={t('the connection')}
      problem={t('The connection could not be loaded')}
      missing={{
        title: t('Connection not found'),
        heading: t('This connection doesn’t exist'),
        action: t('Go to connections'),
        hint: t('It may have been deleted.'),
      }}
    />
  )
}

interface LoadedProps {
  connection: Connection
  query: ReturnType<typeof useConnection>
  cloud: Cloud
}

function Loaded({ connection: read, query, cloud }: LoadedProps) {
  const connection = useCurrent(read)
  const { name, provider_title, state, error, last_sync } = connection
  const provider = cloud.providers.find(({ id }) => id === connection.provider)
  const [editing, setEditing] = useState(false)
  const [deleting, setDeleting] = useState(false)
  const word = connectionState(connection)
  const edit = () => setEditing(true)
  const fresh = last_sync === null && connection.progress === null
  const card = useShownWhenMoved(fresh)
  const sync = (
    <div ref={card} tabIndex={-1} className="place">
      <SyncCard connection={connection} />
    </div>
  )
  return (
    <Page
      title={name}
      titleMetadata={<Badge tone={word.tone}>{word.text}</Badge>}
      subtitle={provider_title}
      backAction={{ content: t('Connections'), url: '/import/connections' }}
      secondaryActions={[
        { content: t('Delete'), destructive: true, onAction: () => setDeleting(true) },
      ]}
    >
      <BlockStack gap="400">
        <LoadProblem query={query} what={t('The connection could not be loaded')} />
        <RcloneMissing cloud={cloud} provider={connection.provider} />
        {state === 'unauthorized' && (
          <AuthorizeBanner
            connection={connection}
            onEditKeys={provider?.sign_in === 'oauth' ? null : edit}
          />
        )}
        {state === 'failing' && error && (
          <Banner
            tone="critical"
            title={t('The last sync failed')}
            action={
              error.code === 'cloud_access_denied'
                ? { content: t('Change access'), onAction: edit }
                : undefined
            }
          >
            <Text as="p">{messageText(error)}</Text>
          </Banner>
        )}
        {fresh ? <SetupSteps connection={connection} /> : sync}
        {connection.rejected > 0 && <RejectionsCard connection={connection} />}
        {provider && <AccessCard connection={connection} provider={provider} onEdit={edit} />}
        <OptionsForm connection={connection} />
        {fresh ? sync : <SyncsCard connection={connection} />}
      </BlockStack>
      {editing && provider && (
        <EditAccess connection={connection} provider={provider} onClose={() => setEditing(false)} />
      )}
      {deleting && <DeleteConnection connection={connection} onClose={() => setDeleting(false)} />}
    </Page>
  )
}

/** Once a preview is confirmed or discarded, its operation is known earlier than the connection. */
function useCurrent(connection: Connection): Connection {
  const { progress, last_sync: sync } = connection
  const waiting = progress === null && sync?.status === 'previewed' ? sync : null
  const operation = useOperation(waiting?.operation_id ?? null).data
  if (!waiting || !operation || operation.status === 'previewed') return connection
  const { id, status } = operation
  return isMoving(operation)
    ? { ...connection, progress: { phase: 'listing', listed: 0, operation_id: id } }
    : { ...connection, last_sync: { ...waiting, status, discarded: status === 'cancelled' } }
}

/** The card below the options, where the first sync is started, moves above them. */
function useShownWhenMoved(below: boolean) {
  const card = useRef<HTMLDivElement>(null)
  const before = useRef(below)
  useEffect(() => {
    if (before.current && !below) {
      card.current?.scrollIntoView({ block: 'center' })
      // Its button had the focus.
      if (document.activeElement === document.body) card.current?.focus({ preventScroll: true })
    }
    before.current = below
  }, [below])
  return card
}

function DeleteConnection({
  connection: { id, name, progress },
  onClose,
}: {
  connection: Connection
  onClose: () => void
}) {
  const remove = useDeleteConnection()
  return (
    <DeleteDialog
      open
      title={t('Delete “{name}”?', { name })}
      deleting={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onDelete={() =>
        remove.mutate(id, {
          onSuccess: () => {
            toast(t('Connection deleted'))
            navigate('/import/connections')
          },
        })
      }
    >
      <Text as="p">
        {t(
          'It is no longer synced, and its access is deleted. Files that came from it stay here, and those at the provider stay there.',
        )}
      </Text>
      {progress && <Text as="p">{t('The sync that is running is cancelled.')}</Text>}
    </DeleteDialog>
  )
}

// The steps of a new connection, with the next one.

function SetupSteps({ connection: { state, settings } }: { connection: Connection }) {
  // The whole account is an empty folder; before the choice it is null.
  const chosen = typeof (settings.folder ?? settings.prefix) === 'string'
  const next = state === 'unauthorized' ? 1 : chosen ? 3 : 2
  const steps = [
    t('Connect'),
    t('Authorize'),
    t('Choose a folder'),
    t('Set the options'),
    t('Preview the first sync'),
  ]
  return (
    <Titled title={t('Set up')}>
      <ol className="steps">
        {steps.map((step, at) => (
          <li key={step} aria-current={at === next ? 'step' : undefined}>
            {step} {at < next && <Badge tone="success">{t('Done')}</Badge>}
            {at === next && <Badge tone="attention">{t('Next')}</Badge>}
          </li>
        ))}
      </ol>
    </Titled>
  )
}

// The last syncs of a connection, each with a link to its files.

function SyncsCard({ connection }: { connection: Connection }) {
  const syncs = useSyncs(connection.id)
  const list = syncs.data?.data
  const { refetch } = syncs
  const status = connection.last_sync?.status
  // Keeps the list consistent with the card above it.
  useEffect(() => void refetch(), [refetch, status])
  return (
    <Card padding="0">
      <Box padding="400">
        <Heading>{t('Last syncs')}</Heading>
      </Box>
      {syncs.error && (
        <Box padding="400" paddingBlockStart="0">
          <LoadProblem query={syncs} what={t('The syncs could not be loaded')} />
        </Box>
      )}
      {syncs.isPending && <LoadingRows rows={2} what={t('syncs')} />}
      {list?.length === 0 && (
        <Quiet heading={t('No sync yet')} text={t('Each sync is listed here with its result.')} />
      )}
      {list && list.length > 0 && (
        <ul className="connections" aria-label={t('Last syncs')}>
          {list.map((sync) => (
            <Row key={sync.started_at} sync={sync} />
          ))}
        </ul>
      )}
    </Card>
  )
}

const Row = ({ sync }: { sync: Sync }) => (
  <li>
    <SyncLink sync={sync} />
    <span>{sync.error?.message ?? countsText(sync)}</span>
    <StatusBadge word={syncWord(sync)} />
  </li>
)

// A connection without access (not yet, or no longer): one click starts the sign-in.

interface Props {
  connection: Connection
  /** The provider uses keys, which are edited instead. */
  onEditKeys: (() => void) | null
}

function AuthorizeBanner({ connection, onEditKeys }: Props) {
  const { id, provider_title: provider, last_sync, error } = connection
  const { start, waiting, problem } = useAuthorize(id, () => toast(t('Access granted')))
  const before = last_sync !== null
  return (
    <Banner
      tone={before ? 'critical' : 'info'}
      title={
        before
          ? t('{provider} no longer gives access', { provider })
          : t('Sign in at {provider} to continue', { provider })
      }
      action={
        onEditKeys
          ? { content: t('Change keys'), onAction: onEditKeys }
          : {
              content: before ? t('Authorize again') : t('Authorize'),
              onAction: start,
            }
      }
    >
      <BlockStack gap="100">
        {before && (
          <p>
            {error ? messageText(error) : t('Nothing is synced until access is granted again.')}
          </p>
        )}
        {waiting && (
          <p role="status">
            {t('Waiting for the window of {provider}. If you closed it, authorize again.', {
              provider,
            })}
          </p>
        )}
        {problem !== null && <p role="alert">{problem}</p>}
      </BlockStack>
    </Banner>
  )
}
