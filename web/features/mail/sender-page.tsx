// Settings → Mail to buyers: the name and the address for replies, the shop's own server or domain,
// and the addresses that nothing is sent to.
import { useState } from 'react'
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import { Unloaded } from '../../shell/components/unloaded.tsx'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { clearing, fieldId, objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { t } from '../../shell/messages/t.ts'
import {
  BlockStack,
  Button,
  ChoiceList,
  Hint,
  InlineStack,
  TextField,
  Badge,
  Text,
} from '../../shell/ui/index.ts'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { actionName } from '../../shell/labels/action-name.ts'
import { momentText } from '../../shell/labels/time.ts'
import { reasonText } from '../../shell/messages/server-text.ts'
import {
  useChangeSender,
  useMailSettings,
  type MailSettings,
  useAllow,
  useBlocked,
} from './calls.ts'
import { DomainCard } from './domain-card.tsx'
import { ServerCard } from './server-card.tsx'

export function SenderPage() {
  const settings = useMailSettings()
  return (
    <Page
      title={t('Mail to buyers')}
      subtitle={t('Who sends the mails with downloads, and what they say')}
      backAction={{ content: t('Settings'), url: '/settings' }}
      secondaryActions={[
        { content: t('Texts of the mails'), url: '/settings/mail-to-buyers/texts' },
        { content: t('Sent mail'), url: '/settings/mail' },
      ]}
    >
      {settings.data ? (
        <BlockStack gap="400">
          <SenderCard settings={settings.data} />
          <WayCard settings={settings.data} />
          <ServerCard server={settings.data.server} reports={settings.data.reports_offered} />
          <DomainCard settings={settings.data} />
          <BlockedCard />
        </BlockStack>
      ) : (
        <Unloaded
          query={settings}
          what={t('the mail settings')}
          problem={t('The mail settings could not be loaded')}
        />
      )}
    </Page>
  )
}

interface CardProps {
  settings: MailSettings
}

function SenderCard({ settings }: CardProps) {
  const save = useChangeSender(useKnown(settings))
  const [name, setName] = useState(settings.name ?? '')
  const [replyTo, setReplyTo] = useState(settings.reply_to ?? '')
  const problems = problemsOf(objectionsIn(save.error))
  const change = { name: name.trim() || null, reply_to: replyTo.trim() || null }
  const submit = () => save.mutate(change, { onSuccess: () => toast(t('The sender was saved')) })
  return (
    <Titled
      title={t('Sender')}
      help={t('The next mail comes from {name} <{email}>.', {
        name: settings.from.name,
        email: settings.from.email,
      })}
    >
      {save.error && problems.all.length === 0 && (
        <Problem error={save.error} what={t('The sender could not be saved')} />
      )}
      <TextField
        id={fieldId('name')}
        label={t('Name')}
        helpText={t('For example the name of your shop.')}
        maxLength={100}
        value={name}
        error={problems.at('name')}
        onChange={clearing(save, setName)}
      />
      <TextField
        id={fieldId('reply_to')}
        label={t('Address for replies')}
        helpText={t('Where the answers of buyers arrive.')}
        type="email"
        maxLength={254}
        value={replyTo}
        error={problems.at('reply_to')}
        onChange={clearing(save, setReplyTo)}
      />
      <InlineStack>
        <Button variant="primary" loading={save.isPending} onClick={submit}>
          {t('Save')}
        </Button>
      </InlineStack>
    </Titled>
  )
}

/** Shown once there is a choice. */
function WayCard({ settings }: CardProps) {
  const save = useChangeSender(useKnown(settings))
  const { server, domain, used } = settings
  const ways = [
    { value: 'installation', label: t('Through the app') },
    ...(server?.confirmed_at
      ? [{ value: 'server', label: t('Through your own mail server') }]
      : []),
    ...(domain?.confirmed_at ? [{ value: 'domain', label: t('From your own domain') }] : []),
  ]
  if (ways.length === 1) return null
  return (
    <Titled title={t('How mails are sent')}>
      {save.error && <Problem error={save.error} what={t('The sender could not be saved')} />}
      <ChoiceList
        title={t('How mails are sent')}
        titleHidden
        disabled={save.isPending}
        choices={ways}
        selected={[used]}
        onChange={([way]) =>
          save.mutate(
            { way: way as MailSettings['way'] },
            { onSuccess: () => toast(t('The sender was saved')) },
          )
        }
      />
      <Hint>{t('Mails to you, such as those about imports, always come from the app.')}</Hint>
    </Titled>
  )
}

// Addresses that nothing or no news is sent to: a mail to them came back, or was reported as spam.

/** The addresses that get no mail; nothing is shown if there are none. */
function BlockedCard() {
  const [cursor, setCursor] = useState('')
  const blocked = useBlocked(cursor)
  const allow = useAllow()
  const list = blocked.data?.data ?? []
  const next = blocked.data?.next_cursor ?? null
  if (!blocked.error && list.length === 0 && cursor === '') return null
  return (
    <Titled
      title={t('Blocked addresses')}
      help={t(
        'A mail to them came back, so nothing more is sent to them: correct the address in the delivery, or allow it here if it works again. Addresses that reported a mail as spam get no mails about new versions and added files.',
      )}
    >
      <LoadProblem query={blocked} what={t('The addresses could not be loaded')} />
      {allow.error && <Problem error={allow.error} what={t('The address could not be allowed')} />}
      <BlockStack gap="300">
        {list.map(({ email, reason, reason_text, created_at, complaint }) => (
          <InlineStack key={email} align="space-between" blockAlign="center" gap="200">
            <BlockStack>
              <Text as="span" breakWord>
                {email}
              </Text>
              <Text as="span" variant="bodySm" tone="subdued" breakWord>
                {t('{at}: {reason}', {
                  at: momentText(created_at),
                  reason: reasonText({ reason, reason_text }),
                })}
              </Text>
            </BlockStack>
            {complaint && <Badge tone="warning">{t('No news')}</Badge>}
            <Button
              accessibilityLabel={actionName(t('Allow again'), email)}
              loading={allow.isPending && allow.variables === email}
              onClick={() =>
                allow.mutate(email, {
                  onSuccess: () => toast(t('Mails are sent to {email} again', { email })),
                })
              }
            >
              {t('Allow again')}
            </Button>
          </InlineStack>
        ))}
      </BlockStack>
      {(next !== null || cursor !== '') && (
        <InlineStack gap="200">
          {cursor !== '' && <Button onClick={() => setCursor('')}>{t('First page')}</Button>}
          {next !== null && <Button onClick={() => setCursor(next)}>{t('Next page')}</Button>}
        </InlineStack>
      )}
    </Titled>
  )
}
