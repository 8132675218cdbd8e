// Packs with their sizes and products.
import { useMemo } from 'react'
import { type Pack } from './calls.ts'
import { CriticalButton } from '../../shell/components/critical-button.tsx'
import { type CardLayout, type Columns } from '../../shell/components/record-columns.ts'
import { RecordTable } from '../../shell/components/record-table.tsx'
import { InlineStack, Link, Text } from '../../shell/ui/index.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  packs: readonly Pack[]
  /** Must be the same function in every render: the table is memoised. */
  onDelete: (pack: Pack) => void
}

export function PacksTable({ packs, onDelete }: Props) {
  const columns = useMemo(() => columnsOf(onDelete), [onDelete])
  return (
    <RecordTable
      names={{ singular: t('pack'), plural: t('packs') }}
      columns={columns}
      card={CARD}
      rows={packs}
      idOf={({ id }) => id}
    />
  )
}

type ColumnId = 'name' | 'files' | 'size' | 'products' | 'created' | 'delete'

const CARD: CardLayout<ColumnId> = {
  lines: ['name', { facts: ['files', 'size', 'products'] }],
  gap: '050',
  buttons: 'delete',
}

const columnsOf = (onDelete: Props['onDelete']): Columns<ColumnId, Pack> => ({
  name: {
    title: t('Pack'),
    wraps: true,
    cell: ({ id, name }) => (
      <Link url={`/packs/${id}`} monochrome removeUnderline>
        <Text as="span" fontWeight="semibold" breakWord>
          {name}
        </Text>
      </Link>
    ),
  },
  files: {
    title: t('Files'),
    tabular: true,
    cell: ({ files }) => t('{files, plural, one {# file} other {# files}}', { files }),
  },
  size: { title: t('Size'), tabular: true, cell: ({ size_bytes }) => sizeText(size_bytes) },
  products: { title: t('Products'), cell: productsText },
  created: { title: t('Created'), cell: ({ created_at }) => momentText(created_at) },
  delete: {
    title: t('Actions'),
    titleHidden: true,
    cell: (pack) => (
      <InlineStack align="end">
        <CriticalButton
          label={t('Delete {name}', { name: pack.name })}
          onClick={() => onDelete(pack)}
          text={t('Delete')}
        />
      </InlineStack>
    ),
  },
})

function productsText({ products }: Pack): string {
  const [first, ...rest] = products
  if (first === undefined) return t('No products')
  return rest.length === 0
    ? first.product_title
    : t('{count, plural, one {# product} other {# products}}', { count: products.length })
}
