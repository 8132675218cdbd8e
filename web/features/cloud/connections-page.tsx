// The cloud accounts and buckets that are synced, each with its state and last sync.
import { useCloud, useConnections } from './calls.ts'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Card } from '../../shell/ui/index.ts'
import { ConnectionRow } from './connection-row.tsx'
import { RcloneMissing } from './rclone-missing.tsx'
import './connections.css'

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
