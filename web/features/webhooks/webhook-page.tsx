// One webhook: how it is, what was sent to it, and what can be done about it.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { toast } from '../../shell/client/bridge.ts'
import { lastError } from '../../shell/client/change.ts'
import { DeleteDialog } from '../../shell/components/delete-dialog.tsx'
import { Facts } from '../../shell/components/facts.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { UnloadedPage } from '../../shell/components/unloaded-page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { errorText, reasonText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'
import {
  Badge,
  Banner,
  BlockStack,
  Button,
  Card,
  InlineStack,
  Text,
  Select,
} from '../../shell/ui/index.ts'
import { useKnown } from '../../shell/client/edits.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import {
  useChangeWebhook,
  useDeleteWebhook,
  useTestWebhook,
  useWebhookEvents,
  useWebhook,
  type Webhook,
  useRotateSecret,
} from './calls.ts'
import { eventsText, webhookState } from './labels.ts'
import { SentMessages } from './sent-messages.tsx'
import { useWebhookForm, WebhookForm, Secret } from './create-webhook.tsx'

type DialogName = 'edit' | 'rotate' | 'delete' | null

const BACK = { content: t('Webhooks'), url: '/settings/webhooks' }

export function WebhookPage({ id }: { id: string }) {
  const webhook = useWebhook(id)
  // Also when it has just been deleted: its dialog leads to the list.
  if (webhook.data) return <Loaded webhook={webhook.data} query={webhook} />
  return (
    <UnloadedPage
      query={webhook}
      back={BACK}
      title={t('Webhook')}
      what={t('the webhook')}
      problem={t('The webhook could not be loaded')}
      missing={{
        title: t('Webhook not found'),
        heading: t('This webhook doesn’t exist'),
        action: t('Go to webhooks'),
        hint: t('It may have been deleted.'),
      }}
    />
  )
}

interface LoadedProps {
  webhook: Webhook
  query: ReturnType<typeof useWebhook>
}

function Loaded({ webhook, query }: LoadedProps) {
  const [open, setOpen] = useState<DialogName>(null)
  const close = () => setOpen(null)
  return (
    <Page
      title={t('Webhook')}
      subtitle={webhook.description}
      titleMetadata={<State webhook={webhook} />}
      backAction={BACK}
      secondaryActions={[
        { content: t('Edit'), onAction: () => setOpen('edit') },
        { content: t('Replace secret'), onAction: () => setOpen('rotate') },
        { content: t('Delete'), destructive: true, onAction: () => setOpen('delete') },
      ]}
    >
      <BlockStack gap="400">
        <LoadProblem query={query} what={t('The webhook could not be loaded')} />
        <About webhook={webhook} />
        <SentMessages webhook={webhook} />
      </BlockStack>
      {open === 'edit' && <EditWebhook webhook={webhook} onClose={close} />}
      {open === 'rotate' && <RotateSecret webhook={webhook} onClose={close} />}
      {open === 'delete' && <Delete webhook={webhook} onClose={close} />}
    </Page>
  )
}

function State({ webhook }: { webhook: Webhook }) {
  const { text, tone } = webhookState(webhook)
  return <Badge tone={tone}>{text}</Badge>
}

/** The titles of its events; their names until these are loaded. */
function useEventTitles({ events }: Webhook): string[] {
  const known = useWebhookEvents()
  return events.map((event) => known.data?.find(({ name }) => name === event)?.title ?? event)
}

/** Why messages do not arrive; nothing while they do. */
function FailureBanner({ webhook }: { webhook: Webhook }) {
  const { switched_off, failing_since, last_error, last_error_text } = webhook
  if (switched_off)
    return (
      <Banner tone="critical" title={t('It was switched off after failures')}>
        {t('On {when}: {reason}.', {
          when: momentText(switched_off.at),
          reason: reasonText(switched_off),
        })}
      </Banner>
    )
  return (
    failing_since && (
      <Banner tone="warning" title={t('Messages do not arrive')}>
        {t('Since {when}. {reason}. They are tried again for three days.', {
          when: momentText(failing_since),
          reason: errorText({ error: last_error ?? '', error_text: last_error_text }),
        })}
      </Banner>
    )
  )
}

function About({ webhook }: { webhook: Webhook }) {
  const change = useChangeWebhook(webhook.id)
  const test = useTestWebhook(webhook.id)
  const failed = lastError(change, test)
  const titles = useEventTitles(webhook)
  const { enabled, previous_secret_until } = webhook
  const never = t('Never')
  const rows: [string, string][] = [
    [t('Address'), webhook.url],
    [t('Events'), titles.join(', ') || eventsText(webhook)],
    [
      t('Last message that arrived'),
      webhook.last_success_at ? momentText(webhook.last_success_at) : never,
    ],
  ]
  if (previous_secret_until)
    rows.push([t('The previous secret works until'), momentText(previous_secret_until)])
  return (
    <Card>
      <BlockStack gap="400">
        <FailureBanner webhook={webhook} />
        {failed && <Problem error={failed} what={t('That could not be done')} />}
        <Facts rows={rows} />
        <InlineStack gap="200">
          <Button
            loading={change.isPending}
            onClick={() => change.mutate({ enabled: !enabled })}
            variant={enabled ? undefined : 'primary'}
          >
            {enabled ? t('Switch off') : t('Switch on')}
          </Button>
          <Button
            loading={test.isPending}
            onClick={() =>
              test.mutate(undefined, { onSuccess: () => toast(t('The test waits to be sent')) })
            }
          >
            {t('Send a test')}
          </Button>
        </InlineStack>
      </BlockStack>
    </Card>
  )
}

function Delete({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const remove = useDeleteWebhook()
  return (
    <DeleteDialog
      open
      title={t('Delete this webhook?')}
      deleting={remove.isPending}
      error={remove.error}
      onDelete={() =>
        remove.mutate(webhook.id, {
          onSuccess: () => {
            toast(t('Webhook deleted'))
            navigate('/settings/webhooks')
          },
        })
      }
      onClose={onClose}
    >
      <Text as="p">
        {t('Messages that wait for it are not sent, and the list of what was sent is lost.')}
      </Text>
    </DeleteDialog>
  )
}

// The dialog that changes a webhook. Its address is changed only when another one is typed: what is
// shown lacks the query, which may hold a token.

function EditWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const change = useChangeWebhook(webhook.id, useKnown(webhook))
  const { form, submit, error } = useWebhookForm(webhook, change, ({ url, ...rest }) =>
    change.mutate(url === webhook.url ? rest : { ...rest, url }, {
      onSuccess: () => {
        toast(t('Webhook saved'))
        onClose()
      },
    }),
  )
  return (
    <Dialog
      title={t('Edit webhook')}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: t('Save'), onAction: submit, loading: change.isPending }}
    >
      {error && <Problem error={error} what={t('The webhook could not be saved')} />}
      <WebhookForm
        {...form}
        urlHelp={t('A part after ? is kept but not shown, until you write another address.')}
      />
    </Dialog>
  )
}

// The dialog that replaces a webhook's secret, and shows the new one.

const TIMES = [
  { value: '24', label: t('For a day') },
  { value: '168', label: t('For a week') },
  { value: '0', label: t('Not at all: it may have leaked') },
]

function RotateSecret({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const rotate = useRotateSecret(webhook.id)
  const [hours, setHours] = useState('24')
  if (rotate.data)
    return <Secret title={t('The secret was replaced')} made={rotate.data} onClose={onClose} />
  return (
    <Dialog
      title={t('Replace the signing secret?')}
      onClose={onClose}
      primaryAction={{
        content: t('Replace'),
        loading: rotate.isPending,
        onAction: () => rotate.mutate(Number(hours)),
      }}
    >
      {rotate.error && (
        <Problem error={rotate.error} what={t('The secret could not be replaced')} />
      )}
      <Text as="p">
        {t('Messages carry a signature of both secrets while the previous one works.')}
      </Text>
      <Select
        label={t('The previous secret works')}
        options={TIMES}
        value={hours}
        onChange={setHours}
      />
    </Dialog>
  )
}
