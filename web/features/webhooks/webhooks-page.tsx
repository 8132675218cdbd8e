// The addresses that are told of events, and the way to add one.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { useWebhooks, type Webhook } from './calls.ts'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { eventsText, webhookState } from './labels.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { Badge, BlockStack, Card, InlineStack, Link, Text } from '../../shell/ui/index.ts'
import { CreateWebhook } from './create-webhook.tsx'

export function WebhooksPage() {
  const webhooks = useWebhooks()
  const [creating, setCreating] = useState(false)
  const list = webhooks.data?.data
  const create = { content: t('Create webhook'), onAction: () => setCreating(true) }
  return (
    <Page
      title={t('Webhooks')}
      subtitle={t('Messages that tell your programs what happens here')}
      backAction={{ content: t('Settings'), url: '/settings' }}
      primaryAction={create}
    >
      <BlockStack gap="400">
        <LoadProblem query={webhooks} what={t('The webhooks could not be loaded')} />
        {list?.length === 0 && (
          <Card>
            <Nothing why="new" heading={t('No webhooks yet')} action={create}>
              {t('A webhook posts a signed message to an address of yours when something happens.')}
            </Nothing>
          </Card>
        )}
        {list && list.length > 0 && (
          <Card padding="0">
            <ul className="entries">
              {list.map((webhook) => (
                <Entry key={webhook.id} webhook={webhook} />
              ))}
            </ul>
          </Card>
        )}
        {webhooks.isPending && (
          <Card padding="0">
            <LoadingRows rows={3} what={t('webhooks')} />
          </Card>
        )}
      </BlockStack>
      {creating && (
        <CreateWebhook
          onClose={(made) => {
            setCreating(false)
            if (made) navigate(`/settings/webhooks/${made.id}`)
          }}
        />
      )}
    </Page>
  )
}

function Entry({ webhook }: { webhook: Webhook }) {
  const { id, url, description, last_success_at } = webhook
  const { text, tone } = webhookState(webhook)
  const last = last_success_at
    ? t('Last message {when}', { when: momentText(last_success_at) })
    : t('Nothing sent yet')
  return (
    <li>
      <InlineStack align="space-between" blockAlign="start" gap="200" wrap={false}>
        <BlockStack gap="050">
          <Link url={`/settings/webhooks/${id}`}>
            <span className="long-text">{url}</span>
          </Link>
          {description && <Text as="span">{description}</Text>}
          <Text as="span" tone="subdued" variant="bodySm">
            {eventsText(webhook)} · {last}
          </Text>
        </BlockStack>
        <Badge tone={tone}>{text}</Badge>
      </InlineStack>
    </li>
  )
}
