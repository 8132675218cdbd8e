// The keys by which tools and scripts get in: what each may do, when it was last used, and the way
// to end it.
import { useState } from 'react'
import { type ApiKey, useApiKeys, useRevokeApiKey } from '../../client/api-keys.ts'
import { LoadingRows, Nothing } from '../../components/lists.tsx'
import { Page } from '../../components/page.tsx'
import { Problem } from '../../components/problem.tsx'
import { BlockStack, Card, Modal, Text } from '../../ui/index.ts'
import { ApiKeysTable } from './api-keys-table.tsx'
import { CreateApiKey } from './create-api-key.tsx'

export function ApiKeysPage() {
  const keys = useApiKeys()
  const [creating, setCreating] = useState(false)
  const [doomed, setDoomed] = useState<ApiKey | null>(null)
  const list = keys.data?.data
  const create = () => setCreating(true)
  return (
    <Page
      title="API keys"
      subtitle="For storefront tools and scripts that use the HTTP API"
      backAction={{ content: 'Settings', url: '/settings' }}
      primaryAction={{ content: 'Create API key', onAction: create }}
      secondaryActions={[{ content: 'API documentation', url: '/api/docs', external: true }]}
    >
      <BlockStack gap="400">
        {keys.error && (
          <Problem
            stale={list !== undefined}
            error={keys.error}
            what="The API keys could not be loaded"
            onRetry={() => void keys.refetch()}
            retrying={keys.isFetching}
          />
        )}
        {list?.length === 0 && (
          <Card>
            <Nothing
              why="new"
              heading="No API keys yet"
              action={{ content: 'Create API key', onAction: create }}
            >
              A tool that imports files or creates links signs in with a key of its own.
            </Nothing>
          </Card>
        )}
        {list && list.length > 0 && (
          <Card padding="0">
            <ApiKeysTable keys={list} onRevoke={setDoomed} />
          </Card>
        )}
        {keys.isPending && (
          <Card padding="0">
            <LoadingRows rows={3} what="API keys" />
          </Card>
        )}
      </BlockStack>
      {creating && <CreateApiKey onClose={() => setCreating(false)} />}
      {doomed && <Revoke apiKey={doomed} onClose={() => setDoomed(null)} />}
    </Page>
  )
}

function Revoke({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const revoke = useRevokeApiKey()
  return (
    <Modal
      open
      onClose={onClose}
      title={`Revoke ${apiKey.name}?`}
      primaryAction={{
        content: 'Revoke',
        destructive: true,
        loading: revoke.isPending,
        onAction: () => revoke.mutate(apiKey.id, { onSuccess: onClose }),
      }}
      secondaryActions={[{ content: 'Cancel', onAction: onClose }]}
    >
      <Modal.Section>
        <BlockStack gap="400">
          {revoke.error && <Problem error={revoke.error} what="The key could not be revoked" />}
          <Text as="p">
            Whatever uses this key is refused from then on. A key that was revoked cannot be brought
            back: make another one.
          </Text>
        </BlockStack>
      </Modal.Section>
    </Modal>
  )
}
