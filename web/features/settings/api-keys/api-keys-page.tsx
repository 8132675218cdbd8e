// The shop's API keys: scopes, last use, and revoking them.
import { useState, useMemo } from 'react'
import { toast } from '../../../shell/client/bridge.ts'
import { LoadingRows, Nothing } from '../../../shell/components/lists.tsx'
import { Page } from '../../../shell/components/page.tsx'
import { LoadProblem } from '../../../shell/components/load-problem.tsx'
import { Question } from '../../../shell/components/question.tsx'
import {
  BlockStack,
  Card,
  Text,
  Badge,
  SmallPrint,
  Tooltip,
  Banner,
  Select,
  TextField,
  Checkbox,
} from '../../../shell/ui/index.ts'
import { t } from '../../../shell/messages/t.ts'
import { CriticalButton } from '../../../shell/components/critical-button.tsx'
import type { CardLayout, Columns } from '../../../shell/components/record-columns.ts'
import { RecordTable } from '../../../shell/components/record-table.tsx'
import { Code } from '../../../shell/components/copy.tsx'
import { Dialog } from '../../../shell/components/dialog.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { clearing, objectionsIn, problemsOf } from '../../../shell/components/problems.ts'
import { type ApiKey, useApiKeys, useRevokeApiKey, useCreateApiKey } from '../api-key-calls.ts'
import { GrantAccess } from './grant-access.tsx'
import { ScopeChoices, LIFETIMES } from './scope-choices.tsx'
import {
  chosenScopes,
  keyExpiryText,
  keyStatus,
  lastUsedText,
  SCOPES,
  USUAL_SCOPES,
} from '../api-key-labels.ts'

export function ApiKeysPage() {
  const keys = useApiKeys()
  const [creating, setCreating] = useState(false)
  const [granting, setGranting] = useState(false)
  const [doomed, setDoomed] = useState<ApiKey | null>(null)
  const list = keys.data?.data
  const create = () => setCreating(true)
  return (
    <Page
      title={t('API keys')}
      subtitle={t('For storefront tools and scripts that use the HTTP API')}
      backAction={{ content: t('Settings'), url: '/settings' }}
      primaryAction={{ content: t('Create API key'), onAction: create }}
      secondaryActions={[
        { content: t('Give an agency access'), onAction: () => setGranting(true) },
        { content: t('API documentation'), url: '/api/docs', external: true },
      ]}
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
      {granting && <GrantAccess onClose={() => setGranting(false)} />}
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
        {apiKey.granted_shop === null
          ? t(
              'Programs that use this key are refused from then on. A revoked key can’t be restored: create another one.',
            )
          : t(
              'The agency is refused in this shop from then on. To let it in again, enter its code again.',
            )}
      </Text>
    </Question>
  )
}

// API keys with their permissions and last use.

interface Props {
  keys: readonly ApiKey[]
  onRevoke: (key: ApiKey) => void
}

function ApiKeysTable({ keys, onRevoke }: Props) {
  const columns = useMemo(() => columnsOf(onRevoke), [onRevoke])
  return (
    <RecordTable
      names={{ singular: t('key'), plural: t('keys') }}
      columns={columns}
      card={CARD}
      rows={keys}
      idOf={({ id }) => id}
    />
  )
}

type ColumnId = 'name' | 'status' | 'scopes' | 'lastUsed' | 'expires' | 'revoke'

const CARD: CardLayout<ColumnId> = {
  lines: [
    { start: 'name', end: 'status' },
    { facts: ['lastUsed'] },
    { start: 'scopes', end: 'revoke' },
  ],
}

const columnsOf = (onRevoke: Props['onRevoke']): Columns<ColumnId, ApiKey> => ({
  name: { title: t('Key'), wraps: true, cell: (apiKey) => <Name apiKey={apiKey} /> },
  status: { title: t('Status'), cell: (apiKey) => <Status apiKey={apiKey} /> },
  scopes: {
    title: t('Permissions'),
    cell: (apiKey) => <Scopes apiKey={apiKey} />,
    inCard: (apiKey) => (
      <BlockStack>
        <SmallPrint>{t('Permissions')}</SmallPrint>
        <Scopes apiKey={apiKey} />
      </BlockStack>
    ),
  },
  lastUsed: {
    title: t('Last used'),
    cell: lastUsedText,
    inCard: (apiKey) =>
      t('Last used: {lastUsed} · Expires: {expires}', {
        lastUsed: lastUsedText(apiKey),
        expires: keyExpiryText(apiKey),
      }),
  },
  expires: { title: t('Expires'), cell: keyExpiryText },
  revoke: {
    title: t('Actions'),
    titleHidden: true,
    cell: (apiKey) =>
      apiKey.revoked_at === null && (
        <CriticalButton
          label={t('Revoke {name}', { name: apiKey.name })}
          onClick={() => onRevoke(apiKey)}
          text={t('Revoke')}
        />
      ),
  },
})

const Name = ({
  apiKey: { name, hint, agency_code, granted_shop, revoked_at },
}: {
  apiKey: ApiKey
}) => (
  <BlockStack>
    <Text as="span" fontWeight="semibold" breakWord>
      {name}
    </Text>
    <SmallPrint>
      {granted_shop === null ? `${hint}…` : t('Key of {shop}', { shop: granted_shop })}
    </SmallPrint>
    {agency_code !== null && revoked_at === null && (
      <Code text={agency_code} what={t('Code for other shops')} wrap />
    )}
  </BlockStack>
)

function Status({ apiKey }: { apiKey: ApiKey }) {
  const { text, tone } = keyStatus(apiKey, new Date())
  return <Badge tone={tone}>{text}</Badge>
}

function Scopes({ apiKey: { scopes } }: { apiKey: ApiKey }) {
  const all = scopes.length === SCOPES.length
  return (
    <Tooltip content={scopes.join(', ')} hasUnderline>
      <Text as="span">
        {all
          ? t('Everything')
          : t('{count, plural, one {# scope} other {# scopes}}', { count: scopes.length })}
      </Text>
    </Tooltip>
  )
}

// The dialog that creates an API key and shows it once, to be copied.

interface MissingTexts {
  name?: string
  scopes?: string
}

/** What to say at the fields that have no value. */
const missingIn = (name: string, scopes: readonly string[]): MissingTexts => ({
  ...(name.trim() === '' ? { name: t('Enter a name that you will recognize') } : {}),
  ...(scopes.length === 0 ? { scopes: t('Choose at least one') } : {}),
})

function CreateApiKey({ onClose }: { onClose: () => void }) {
  const create = useCreateApiKey()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<string[]>([...USUAL_SCOPES])
  const [days, setDays] = useState('')
  const [agency, setAgency] = useState(false)
  const [missing, setMissing] = useState<MissingTexts>({})
  const problems = problemsOf(objectionsIn(create.error))
  const submit = () => {
    const found = missingIn(name, scopes)
    setMissing(found)
    if (Object.keys(found).length > 0) return
    create.mutate({
      name: name.trim(),
      scopes: chosenScopes(scopes),
      expires_in_days: days === '' ? null : Number(days),
      ...(agency ? { agency } : {}),
    })
  }
  if (create.data) return <Made made={create.data} onClose={onClose} />
  return (
    <Dialog
      title={t('Create API key')}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: t('Create'), onAction: submit, loading: create.isPending }}
    >
      {create.error && problems.all.length === 0 && (
        <Problem error={create.error} what={t('The key could not be created')} />
      )}
      <TextField
        label={t('Name')}
        autoFocus
        maxLength={100}
        placeholder={t('Nightly import')}
        helpText={t('The history shows this name for operations that the key starts.')}
        value={name}
        error={missing.name ?? problems.at('name')}
        onChange={clearing(create, (text: string) => {
          setName(text)
          setMissing({})
        })}
      />
      <ScopeChoices
        selected={scopes}
        error={missing.scopes ?? problems.at('scopes')}
        onChange={clearing(create, (chosen: string[]) => {
          setScopes(chosen)
          setMissing({})
        })}
      />
      <Select label={t('Expires')} options={LIFETIMES} value={days} onChange={setDays} />
      <OtherShops isChosen={agency} onChange={setAgency} />
    </Dialog>
  )
}

const OtherShops = ({
  isChosen,
  onChange,
}: {
  isChosen: boolean
  onChange: (isChosen: boolean) => void
}) => (
  <Checkbox
    label={t('Works in other shops too')}
    helpText={t(
      'You get a code. The owner of another shop enters it there, and chooses what the key may do in that shop.',
    )}
    checked={isChosen}
    onChange={onChange}
  />
)

function Made({
  made,
  onClose,
}: {
  made: { name: string; key: string | null; agency_code: string | null }
  onClose: () => void
}) {
  return (
    <Dialog
      title={t('{name} was created', { name: made.name })}
      onClose={onClose}
      primaryAction={{ content: t('Done'), onAction: onClose }}
    >
      <BlockStack gap="400">
        <Banner tone="warning">{t('Copy the key now: it is not shown again.')}</Banner>
        {made.key !== null && <Code text={made.key} what={t('API key')} wrap />}
        {made.agency_code !== null && (
          <BlockStack gap="200">
            <Text as="p">
              {t(
                'Give this code to the owners of other shops. It is no secret, and stays in the list.',
              )}
            </Text>
            <Code text={made.agency_code} what={t('Code for other shops')} wrap />
          </BlockStack>
        )}
      </BlockStack>
    </Dialog>
  )
}
