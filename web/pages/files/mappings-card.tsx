// The products that a file is attached to, how each was found, and how sure that is.
import { type File, type Mapping } from '../../client/types.ts'
import { Badge, BlockStack, Box, Card, InlineStack, Text } from '../../ui/index.ts'
import { methodText } from '../../words/file.ts'
import { scoreText } from '../../words/size.ts'

export function MappingsCard({ file }: { file: File }) {
  return (
    <Card padding="0">
      <Box padding="400">
        <Text as="h2" variant="headingMd">
          Products
        </Text>
      </Box>
      {file.mappings.length === 0 ? (
        <Box padding="400" paddingBlockStart="0">
          <Text as="p" tone="subdued">
            Not mapped to a product.
          </Text>
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
    mapping.sku === null ? null : `SKU ${mapping.sku}`,
    mapping.variant_id === null ? 'Whole product' : null,
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
            {mapping.reason}
          </Text>
        )}
      </BlockStack>
      <div className="sure">
        <BlockStack gap="100" inlineAlign="end">
          <Badge tone={mapping.score >= 1 ? 'success' : undefined}>{`${scoreText(mapping.score)} sure`}</Badge>
          <Text as="span" variant="bodySm" tone="subdued" alignment="end">
            {methodText(mapping.method)}
          </Text>
        </BlockStack>
      </div>
    </InlineStack>
  )
}
