// The shop's API keys: scopes, last use, and revoking them.
import { useState } from 'react'
import { toast } from '../../../shell/client/bridge.ts'
import { type ApiKey, useApiKeys, useRevokeApiKey } from '../api-key-calls.ts'
import { LoadingRows, Nothing } from '../../../shell/components/lists.tsx'
import { Page } from '../../../shell/components/page.tsx'
import { LoadProblem } from '../../../shell/components/load-problem.tsx'
import { Question } from '../../../shell/components/question.tsx'
import { BlockStack, Card, Text } from '../../../shell/ui/index.ts'
import { ApiKeysTable } from './api-keys-table.tsx'
import { CreateApiKey } from './create-api-key.tsx'
import { t } from '../../../shell/messages/t.ts'

export function ApiKeysPage() {
  const keys = useApiKeys()
  const [creating, setCreating] = useState(false)
  const [doomed, setDoomed] = useState<ApiKey | null>(null)
  const list = keys.data?.data
  const create = () => setCreating(true)
  return (
    <Page
      title={t('API keys')}
      subtitle={t('For storefront tools and scripts that use the HTTP API')}
      backAction={{ content: t('Settings'), url: '/settings' }}
      primaryAction={{ content: t('Create API key'), onAction: create }}
      secondaryActions={[{ content: t('API documentation'), url: '/api/docs', external: true }]}
    >
      <BlockStack gap="400">
        <LoadProblem query={keys} what={t('The API keys could not be loaded')} />
        {list?.length === 0 && (
          <Card>
            <Nothing
              why="new"
              heading={t('No API keys yet')}
              action={{ content: t('Create API key'), onAction: create }}
            >
              {t('Create a key for each tool that imports files or creates links.')}
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
            <LoadingRows rows={3} what={t('API keys')} />
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
    <Question
      title={t('Revoke {name}?', { name: apiKey.name })}
      onClose={onClose}
      action={{
        content: t('Revoke'),
        destructive: true,
        loading: revoke.isPending,
        onAction: () =>
          revoke.mutate(apiKey.id, {
            onSuccess: () => {
              toast(t('The key was revoked'))
              onClose()
            },
          }),
      }}
      back={t('Cancel')}
      error={revoke.error}
      problem={t('The key could not be revoked')}
    >
      <Text as="p">
        {t(
          'Programs that use this key are refused from then on. A revoked key can’t be restored: create another one.',
        )}
      </Text>
    </Question>
  )
}
