// Where a search found a file, if its row does not show it elsewhere: a SKU, a barcode, or the text of a column
// that is not shown.
import { type File } from '../../shell/client/types.ts'
import { productTitles } from '../../shell/files/labels.ts'
import { Marked } from '../../shell/files/name.tsx'
import { t } from '../../shell/messages/t.ts'
import { InlineStack, Text } from '../../shell/ui/index.ts'
import { type ListColumn } from './columns.ts'

type Match = NonNullable<File['matched']>[number]
type Field = Match['field']

const LABELS: Readonly<Record<Field, string>> = {
  name: t('File'),
  tag: t('Tag'),
  product: t('Product'),
  sku: t('SKU'),
  barcode: t('Barcode'),
  pack: t('Pack'),
}

/** The columns that show these fields anyway. */
const COLUMNS: Readonly<Partial<Record<Field, ListColumn>>> = {
  tag: 'tags',
  product: 'products',
  pack: 'pack',
}

/** The texts that were found and that no column shows. */
function unseenMatches(
  { matched = [] }: Pick<File, 'matched'>,
  shown: readonly ListColumn[],
): Match[] {
  return matched.filter(({ field }) => {
    const column = COLUMNS[field]
    return field !== 'name' && (column === undefined || !shown.includes(column))
  })
}

/** The tags, and the titles of the products, those that were found first. */
export const foundFirst = {
  tags: ({ tags, matched }: File): string[] => first(tags, 'tag', matched),
  products: ({ mappings, matched }: File): string[] =>
    first(productTitles(mappings), 'product', matched),
}

function first(texts: readonly string[], field: Field, matched: File['matched'] = []): string[] {
  const found = new Set(matched.filter((match) => match.field === field).map(({ value }) => value))
  return [...texts.filter((text) => found.has(text)), ...texts.filter((text) => !found.has(text))]
}

interface Props {
  file: File
  find: string
  shown: readonly ListColumn[]
}

export function Found({ file, find, shown }: Props) {
  const matches = unseenMatches(file, shown)
  if (matches.length === 0) return null
  return (
    <InlineStack gap="200">
      {matches.map(({ field, value }) => (
        <Text key={`${field} ${value}`} as="span" variant="bodySm" tone="subdued" breakWord>
          {LABELS[field]} <Marked text={value} find={find} />
        </Text>
      ))}
    </InlineStack>
  )
}
