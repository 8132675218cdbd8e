// API keys with their permissions and last use.
import { useMemo } from 'react'
import { type ApiKey } from '../api-key-calls.ts'
import { CriticalButton } from '../../../shell/components/critical-button.tsx'
import { type CardLayout, type Columns } from '../../../shell/components/record-columns.ts'
import { RecordTable } from '../../../shell/components/record-table.tsx'
import { Badge, BlockStack, SmallPrint, Text, Tooltip } from '../../../shell/ui/index.ts'
import { keyExpiryText, keyStatus, lastUsedText, SCOPES } from '../api-key-labels.ts'
import { t } from '../../../shell/messages/t.ts'

interface Props {
  keys: readonly ApiKey[]
  onRevoke: (key: ApiKey) => void
}

export function ApiKeysTable({ keys, onRevoke }: Props) {
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

const Name = ({ apiKey: { name, hint } }: { apiKey: ApiKey }) => (
  <BlockStack>
    <Text as="span" fontWeight="semibold" breakWord>
      {name}
    </Text>
    <SmallPrint>{hint}…</SmallPrint>
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
