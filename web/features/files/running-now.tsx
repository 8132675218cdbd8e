// The running operations, above the list of files that they change.
import { useChannels } from '../imports/channel-calls.ts'
import { type Operation } from '../../shell/client/types.ts'
import { Progress } from '../operations/status.tsx'
import { BlockStack, Card, InlineStack, Link, Text } from '../../shell/ui/index.ts'
import { operationTitle } from '../operations/labels.ts'
import { t } from '../../shell/messages/t.ts'

export function RunningNow({ operations }: { operations: readonly Operation[] }) {
  const channels = useChannels()
  if (operations.length === 0) return null
  return (
    <Card>
      <BlockStack gap="300">
        {operations.map((operation) => (
          <InlineStack key={operation.id} gap="400" align="space-between" blockAlign="center">
            <Text as="span" fontWeight="medium">
              {t('{title} in progress', { title: operationTitle(operation, channels) })}
            </Text>
            <div style={{ flex: '1 1 200px', maxInlineSize: 420 }}>
              <Progress operation={operation} />
            </div>
            <Link url={`/operations/${operation.id}`}>{t('View details')}</Link>
          </InlineStack>
        ))}
      </BlockStack>
    </Card>
  )
}
