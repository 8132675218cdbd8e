// API keys in a table; on a narrow screen a list instead.
import { type ApiKey } from '../api-key-calls.ts'
import { CriticalButton } from '../../../shell/components/critical-button.tsx'
import { RowsTable } from '../../../shell/components/rows-table.tsx'
import {
  Badge,
  BlockStack,
  Box,
  IndexTable,
  InlineStack,
  Text,
  Tooltip,
  useBreakpoints,
} from '../../../shell/ui/index.ts'
import { keyExpiryText, keyStatus, lastUsedText, SCOPES } from '../api-key-labels.ts'
import { t } from '../../../shell/messages/t.ts'

interface Props {
  keys: readonly ApiKey[]
  onRevoke: (key: ApiKey) => void
}

export function ApiKeysTable({ keys, onRevoke }: Props) {
  const { mdDown: narrow } = useBreakpoints()
  return (
    <RowsTable
      names={{ singular: t('key'), plural: t('keys') }}
      headings={[
        { title: t('Key') },
        { title: t('Status') },
        { title: t('Permissions') },
        { title: t('Last used') },
        { title: t('Expires') },
        { title: t('Actions'), hidden: true },
      ]}
      narrow={narrow}
      rows={keys}
    >
      {(key) =>
        narrow ? (
          <NarrowKey apiKey={key} onRevoke={onRevoke} />
        ) : (
          <WideKey apiKey={key} onRevoke={onRevoke} />
        )
      }
    </RowsTable>
  )
}

interface RowProps {
  apiKey: ApiKey
  onRevoke: (key: ApiKey) => void
}

const WideKey = (row: RowProps) => (
  <>
    <IndexTable.Cell>
      <Name {...row} />
    </IndexTable.Cell>
    <IndexTable.Cell>
      <Status {...row} />
    </IndexTable.Cell>
    <IndexTable.Cell>
      <Scopes {...row} />
    </IndexTable.Cell>
    <IndexTable.Cell>{lastUsedText(row.apiKey)}</IndexTable.Cell>
    <IndexTable.Cell>{keyExpiryText(row.apiKey)}</IndexTable.Cell>
    <IndexTable.Cell>
      <RevokeButton {...row} />
    </IndexTable.Cell>
  </>
)

const NarrowKey = (row: RowProps) => (
  <Box padding="400">
    <BlockStack gap="200">
      <InlineStack align="space-between" blockAlign="center" gap="200">
        <Name {...row} />
        <Status {...row} />
      </InlineStack>
      <Text as="span" variant="bodySm" tone="subdued">
        {t('Last used: {lastUsed} · Expires: {expires}', {
          lastUsed: lastUsedText(row.apiKey),
          expires: keyExpiryText(row.apiKey),
        })}
      </Text>
      <InlineStack align="space-between" blockAlign="center" gap="200">
        <Scopes {...row} />
        <RevokeButton {...row} />
      </InlineStack>
    </BlockStack>
  </Box>
)

const Name = ({ apiKey: { name, hint } }: RowProps) => (
  <BlockStack>
    <Text as="span" fontWeight="semibold" breakWord>
      {name}
    </Text>
    <Text as="span" variant="bodySm" tone="subdued">
      {hint}…
    </Text>
  </BlockStack>
)

function Status({ apiKey }: RowProps) {
  const { text, tone } = keyStatus(apiKey, new Date())
  return <Badge tone={tone}>{text}</Badge>
}

function Scopes({ apiKey: { scopes } }: RowProps) {
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

const RevokeButton = ({ apiKey, onRevoke }: RowProps) =>
  apiKey.revoked_at === null ? (
    <CriticalButton
      label={t('Revoke {name}', { name: apiKey.name })}
      onClick={() => onRevoke(apiKey)}
      text={t('Revoke')}
    />
  ) : null
