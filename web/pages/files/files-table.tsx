// The files of one page; on a narrow screen a list instead of a table.
import { type CSSProperties } from 'react'
import { type File } from '../../client/types.ts'
import { FileIcon } from '../../components/file-icon.tsx'
import { type FileSort } from '../../place/files.ts'
import { Badge, BlockStack, IndexTable, InlineStack, Link, Text, Tooltip, useBreakpoints } from '../../ui/index.ts'
import { kindText, productTitles } from '../../words/file.ts'
import { countText, numberText, sizeText } from '../../words/size.ts'
import { dayText } from '../../words/time.ts'
import { columnOf, sortFor } from './sorting.ts'

interface Props {
  files: readonly File[]
  sort: FileSort
  onSort: (sort: FileSort) => void
}

export function FilesTable({ files, sort, onSort }: Props) {
  const { lgDown: narrow } = useBreakpoints()
  const [sortColumnIndex, sortDirection] = columnOf(sort)
  return (
    <IndexTable
      resourceName={{ singular: 'file', plural: 'files' }}
      itemCount={files.length}
      selectable={false}
      condensed={narrow}
      headings={[
        { title: 'File', defaultSortDirection: 'ascending' },
        { title: 'Type' },
        { title: 'Size', alignment: 'end' },
        { title: 'Tags' },
        { title: 'Products' },
        { title: 'Downloads', alignment: 'end' },
        { title: 'Uploaded' },
      ]}
      sortable={[true, false, true, false, false, false, true]}
      sortColumnIndex={sortColumnIndex}
      sortDirection={sortDirection}
      onSort={(column, direction) => onSort(sortFor(column, direction))}
    >
      {files.map((file, position) => (
        <IndexTable.Row key={file.id} id={file.id} position={position}>
          {narrow ? <NarrowRow file={file} /> : <WideRow file={file} />}
        </IndexTable.Row>
      ))}
    </IndexTable>
  )
}

function WideRow({ file }: { file: File }) {
  return (
    <>
      <IndexTable.Cell>
        <div className="file-name">
          <FileIcon filename={file.filename} contentType={file.content_type} />
          <span className="cut" style={{ '--cut': 'clamp(160px, 18vw, 420px)' } as CSSProperties} title={file.filename}>
            <Link url={`/files/${file.id}`} dataPrimaryLink monochrome removeUnderline>
              <Text as="span" fontWeight="semibold">
                {file.filename}
              </Text>
            </Link>
          </span>
        </div>
      </IndexTable.Cell>
      <IndexTable.Cell>{kindText(file.filename, file.content_type)}</IndexTable.Cell>
      <IndexTable.Cell className="tabular">
        <Text as="span" alignment="end" numeric>
          {sizeText(file.size_bytes)}
        </Text>
      </IndexTable.Cell>
      <IndexTable.Cell>
        <Tags tags={file.tags} />
      </IndexTable.Cell>
      <IndexTable.Cell>
        <Products file={file} />
      </IndexTable.Cell>
      <IndexTable.Cell>
        <Text as="span" alignment="end" numeric>
          {numberText(file.downloads)}
        </Text>
      </IndexTable.Cell>
      <IndexTable.Cell>{dayText(file.upload_date)}</IndexTable.Cell>
    </>
  )
}

function NarrowRow({ file }: { file: File }) {
  const facts = [
    sizeText(file.size_bytes),
    countText(file.downloads, 'download', 'downloads'),
    dayText(file.upload_date),
  ]
  return (
    <div style={{ padding: 'var(--p-space-300) var(--p-space-400)' }}>
      <div className="file-name">
        <FileIcon filename={file.filename} contentType={file.content_type} />
        <BlockStack gap="050">
          <Link url={`/files/${file.id}`} dataPrimaryLink monochrome removeUnderline>
            <Text as="span" fontWeight="semibold" breakWord>
              {file.filename}
            </Text>
          </Link>
          <Text as="span" variant="bodySm" tone="subdued">
            {facts.join(' · ')}
          </Text>
          <Products file={file} />
          <Tags tags={file.tags} />
        </BlockStack>
      </div>
    </div>
  )
}

const SHOWN_TAGS = 2

function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null
  const rest = tags.slice(SHOWN_TAGS)
  return (
    <InlineStack gap="100" wrap={false}>
      {tags.slice(0, SHOWN_TAGS).map((tag) => (
        <Badge key={tag}>{tag}</Badge>
      ))}
      {rest.length > 0 && (
        <Tooltip content={rest.join(', ')}>
          <Badge>{`+${rest.length}`}</Badge>
        </Tooltip>
      )}
    </InlineStack>
  )
}

function Products({ file }: { file: File }) {
  const [first, ...rest] = productTitles(file.mappings)
  if (first === undefined)
    return (
      <Text as="span" tone="subdued">
        Not mapped
      </Text>
    )
  return (
    <InlineStack gap="100" wrap={false} blockAlign="center">
      <span className="cut product" title={first}>
        {first}
      </span>
      {rest.length > 0 && (
        <Tooltip content={rest.join(', ')}>
          <Badge>{`+${rest.length}`}</Badge>
        </Tooltip>
      )}
    </InlineStack>
  )
}
