// The shop's own domain, which the app signs mails for: its address, its DNS records, and the check.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { Copy } from '../../shell/components/copy.tsx'
import { DeleteDialog } from '../../shell/components/delete-dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { clearing, fieldId, objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import {
  Badge,
  BlockStack,
  Button,
  Hint,
  InlineStack,
  Text,
  TextField,
} from '../../shell/ui/index.ts'
import { useCheckDomain, useSaveDomain, type DnsRecord, type MailSettings } from './calls.ts'
import { quotedStrings } from './dns-strings.ts'
import './mail.css'

type Domain = NonNullable<MailSettings['domain']>

export function DomainCard({ settings }: { settings: MailSettings }) {
  const { domain, domain_offered: offered } = settings
  // Kept until its dialog is closed, also when the domain is gone.
  const [removing, setRemoving] = useState<Domain | null>(null)
  if (!offered && !domain) return null
  return (
    <Titled
      title={t('Your own domain')}
      help={t(
        'The app sends and signs mails for your domain. You add records to its DNS, where you manage the domain.',
      )}
      action={
        domain && (
          <Badge tone={domain.confirmed_at ? 'success' : 'attention'}>
            {domain.confirmed_at ? t('Confirmed') : t('Not confirmed')}
          </Badge>
        )
      }
    >
      <AddressForm key={domain?.from ?? ''} domain={domain} onRemove={setRemoving} />
      {domain && <Records domain={domain} />}
      {removing && <RemoveDomain domain={removing} onClose={() => setRemoving(null)} />}
    </Titled>
  )
}

interface AddressProps {
  domain: Domain | null
  onRemove: (domain: Domain) => void
}

function AddressForm({ domain, onRemove }: AddressProps) {
  const save = useSaveDomain()
  const [from, setFrom] = useState(domain?.from ?? '')
  const problems = problemsOf(objectionsIn(save.error))
  return (
    <BlockStack gap="200">
      {save.error && problems.all.length === 0 && (
        <Problem error={save.error} what={t('The domain could not be saved')} />
      )}
      <TextField
        id={fieldId('from')}
        label={t('Send from')}
        helpText={t('Any address of your domain, like downloads@example.com.')}
        type="email"
        maxLength={254}
        value={from}
        error={problems.at('from')}
        onChange={clearing(save, setFrom)}
        connectedRight={
          <Button loading={save.isPending} onClick={() => save.mutate(from.trim())}>
            {domain ? t('Save') : t('Show the records')}
          </Button>
        }
      />
      {domain && (
        <InlineStack>
          <Button tone="critical" variant="plain" onClick={() => onRemove(domain)}>
            {t('Remove the domain')}
          </Button>
        </InlineStack>
      )}
    </BlockStack>
  )
}

function RemoveDomain({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const save = useSaveDomain()
  return (
    <DeleteDialog
      open
      title={t('Remove the domain?')}
      button={t('Remove the domain')}
      problem={t('The domain could not be removed')}
      deleting={save.isPending}
      error={save.error}
      onDelete={() =>
        save.mutate(null, {
          onSuccess: () => {
            toast(t('The domain was removed'))
            onClose()
          },
        })
      }
      onClose={onClose}
    >
      <Text as="p">
        {t(
          'No more mails are sent from {from}, and its key is deleted. If you add the domain again, its DNS records have to be changed.',
          { from: domain.from },
        )}
      </Text>
    </DeleteDialog>
  )
}

const KINDS: Readonly<Record<DnsRecord['kind'], { title: string; about: string }>> = {
  dkim: {
    title: t('Signature (DKIM)'),
    about: t('Required. Mails are sent from your domain once it is found.'),
  },
  spf: {
    title: t('Sending servers (SPF)'),
    about: t(
      'Recommended. If you have such a record, add the include: part to it instead of a second one.',
    ),
  },
  dmarc: { title: t('Policy (DMARC)'), about: t('Recommended. Any policy will do.') },
  return_path: {
    title: t('Address for bounces (return path)'),
    about: t('Recommended. Mails that come back arrive here under your domain.'),
  },
}

const STATES: Readonly<
  Record<
    DnsRecord['state'],
    { text: string; tone: 'success' | 'critical' | 'attention' | undefined }
  >
> = {
  unchecked: { text: t('Not checked'), tone: undefined },
  found: { text: t('Found', {}, 'record'), tone: 'success' },
  missing: { text: t('Missing', {}, 'record'), tone: 'attention' },
  different: { text: t('Different', {}, 'record'), tone: 'critical' },
  unanswered: { text: t('No answer'), tone: 'attention' },
}

function Records({ domain }: { domain: Domain }) {
  const check = useCheckDomain()
  return (
    <BlockStack gap="300">
      {check.error && <Problem error={check.error} what={t('The records could not be checked')} />}
      <ul className="dns-records">
        {domain.records.map((record) => (
          <li key={record.kind}>
            <Record record={record} />
          </li>
        ))}
      </ul>
      <InlineStack gap="300" blockAlign="center">
        <Button variant="primary" loading={check.isPending} onClick={() => check.mutate()}>
          {t('Check the records')}
        </Button>
        <Text as="span" tone="subdued">
          {domain.checked_at
            ? t('Checked {at}. New records may take hours to appear.', {
                at: momentText(domain.checked_at),
              })
            : t('New records may take hours to appear.')}
        </Text>
      </InlineStack>
    </BlockStack>
  )
}

function Record({ record }: { record: DnsRecord }) {
  const { title, about } = KINDS[record.kind]
  const state = STATES[record.state]
  const strings = record.type === 'TXT' ? quotedStrings(record.value) : null
  return (
    <BlockStack gap="100">
      <InlineStack gap="200" blockAlign="center">
        <Text as="h3" variant="headingSm">
          {title}
        </Text>
        <Badge tone={state.tone}>{state.text}</Badge>
      </InlineStack>
      <Hint>{about}</Hint>
      <Value label={t('Type')} value={record.type} />
      <Value label={t('Name')} value={record.name} copy={t('name of the record')} />
      <Value label={t('Value')} value={record.value} copy={t('value of the record')} />
      {strings !== null && (
        <>
          <Value label={t('In strings')} value={strings} copy={t('strings of the record')} />
          <Hint>
            {t(
              'Most providers take the value as it is. For zone files, and if a provider refuses more than 255 characters, use the strings.',
            )}
          </Hint>
        </>
      )}
      {record.found !== null && <Value label={t('Found instead')} value={record.found} />}
    </BlockStack>
  )
}

const Value = ({ label, value, copy }: { label: string; value: string; copy?: string }) => (
  <div className="dns-value">
    <span>{label}</span>
    <code>{value}</code>
    {copy !== undefined && <Copy text={value} what={copy} variant="plain" />}
  </div>
)
