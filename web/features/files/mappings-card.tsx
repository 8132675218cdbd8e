// The products that a file is mapped to, with the method and its confidence.
import { type File, type Mapping } from '../../shell/client/types.ts'
import {
  Badge,
  BlockStack,
  Box,
  Button,
  Card,
  Heading,
  Hint,
  InlineStack,
  Text,
} from '../../shell/ui/index.ts'
import { methodText } from '../../shell/files/labels.ts'
import { scoreText } from '../../shell/labels/size.ts'
import { reasonText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  file: File
  /** null: not offered. */
  onMap: (() => void) | null
  onUnmap: (() => void) | null
  /** Gives the file to past buyers of the products; null: not offered. */
  onGive: (() => void) | null
}

export function MappingsCard({ file, onMap, onUnmap, onGive }: Props) {
  return (
    <Card padding="0">
      <Box padding="400">
        <InlineStack align="space-between" blockAlign="center" gap="200">
          <Heading>{t('Products')}</Heading>
          <InlineStack gap="200">
            {onGive && file.mappings.length > 0 && (
              <Button onClick={onGive}>{t('Give to past buyers')}</Button>
            )}
            {onUnmap && file.mappings.length > 0 && (
              <Button onClick={onUnmap}>{t('Remove mapping')}</Button>
            )}
            {onMap && <Button onClick={onMap}>{t('Map to product')}</Button>}
          </InlineStack>
        </InlineStack>
      </Box>
      {file.mappings.length === 0 ? (
        <Box padding="400" paddingBlockStart="0">
          <Hint>{t('Not mapped to a product.')}</Hint>
        </Box>
      ) : (
        file.mappings.map((mapping) => (
          <Box
            key={`${mapping.product_id} ${mapping.variant_id}`}
            padding="400"
            borderBlockStartWidth="025"
            borderColor="border-secondary"
          >
            <Mapped mapping={mapping} />
          </Box>
        ))
      )}
    </Card>
  )
}

function Mapped({ mapping }: { mapping: Mapping }) {
  const about = [
    mapping.sku === null ? null : t('SKU {sku}', { sku: mapping.sku }),
    mapping.variant_id === null ? t('Whole product') : null,
  ]
  const where = about.filter((part) => part !== null).join(' · ')
  return (
    <InlineStack align="space-between" blockAlign="start" gap="200" wrap={false}>
      <BlockStack gap="050">
        <Text as="h3" variant="bodyMd" fontWeight="semibold" breakWord>
          {mapping.product_title}
        </Text>
        {where && (
          <Text as="p" variant="bodySm" tone="subdued" breakWord>
            {where}
          </Text>
        )}
        {mapping.reason && (
          <Text as="p" variant="bodySm" breakWord>
            {reasonText(mapping)}
          </Text>
        )}
      </BlockStack>
      <div className="sure">
        <BlockStack gap="100" inlineAlign="end">
          <Badge tone={mapping.score >= 1 ? 'success' : undefined}>
            {t('{score} confidence', { score: scoreText(mapping.score) })}
          </Badge>
          <Text as="span" variant="bodySm" tone="subdued" alignment="end">
            {methodText(mapping.method)}
          </Text>
        </BlockStack>
      </div>
    </InlineStack>
  )
}
