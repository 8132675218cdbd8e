// Packs in a table; on a narrow screen a list instead.
import { type Pack } from './calls.ts'
import { CriticalButton } from '../../shell/components/critical-button.tsx'
import { RowsTable } from '../../shell/components/rows-table.tsx'
import {
  BlockStack,
  Box,
  IndexTable,
  InlineStack,
  Link,
  Text,
  useBreakpoints,
} from '../../shell/ui/index.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  packs: readonly Pack[]
  onDelete: (pack: Pack) => void
}

export function PacksTable({ packs, onDelete }: Props) {
  const { mdDown: narrow } = useBreakpoints()
  return (
    <RowsTable
      names={{ singular: t('pack'), plural: t('packs') }}
      headings={[
        { title: t('Pack') },
        { title: t('Files') },
        { title: t('Size') },
        { title: t('Products') },
        { title: t('Created') },
        { title: t('Actions'), hidden: true },
      ]}
      narrow={narrow}
      rows={packs}
    >
      {(pack) =>
        narrow ? (
          <NarrowPack pack={pack} onDelete={onDelete} />
        ) : (
          <WidePack pack={pack} onDelete={onDelete} />
        )
      }
    </RowsTable>
  )
}

interface RowProps {
  pack: Pack
  onDelete: (pack: Pack) => void
}

const WidePack = (row: RowProps) => (
  <>
    <IndexTable.Cell>
      <Name {...row} />
    </IndexTable.Cell>
    <IndexTable.Cell className="tabular">
      {t('{files, plural, one {# file} other {# files}}', { files: row.pack.files })}
    </IndexTable.Cell>
    <IndexTable.Cell className="tabular">{sizeText(row.pack.size_bytes)}</IndexTable.Cell>
    <IndexTable.Cell>{productsText(row.pack)}</IndexTable.Cell>
    <IndexTable.Cell>{momentText(row.pack.created_at)}</IndexTable.Cell>
    <IndexTable.Cell>
      <InlineStack align="end">
        <DeleteButton {...row} />
      </InlineStack>
    </IndexTable.Cell>
  </>
)

const NarrowPack = (row: RowProps) => (
  <Box padding="400">
    <InlineStack align="space-between" blockAlign="center" gap="200" wrap={false}>
      <BlockStack gap="050">
        <Name {...row} />
        <Text as="span" variant="bodySm" tone="subdued">
          {t('{files, plural, one {# file} other {# files}}', { files: row.pack.files })} ·{' '}
          {sizeText(row.pack.size_bytes)} · {productsText(row.pack)}
        </Text>
      </BlockStack>
      <DeleteButton {...row} />
    </InlineStack>
  </Box>
)

const Name = ({ pack: { id, name } }: RowProps) => (
  <Link url={`/packs/${id}`} monochrome removeUnderline>
    <Text as="span" fontWeight="semibold" breakWord>
      {name}
    </Text>
  </Link>
)

const productsText = ({ products }: Pack): string =>
  products.length === 0
    ? t('No products')
    : products.length === 1
      ? products[0]!.product_title
      : t('{count, plural, one {# product} other {# products}}', { count: products.length })

const DeleteButton = ({ pack, onDelete }: RowProps) => (
  <CriticalButton
    label={t('Delete {name}', { name: pack.name })}
    onClick={() => onDelete(pack)}
    text={t('Delete')}
  />
)
