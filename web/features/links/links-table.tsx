// Links in a table with their files; without their files, or on a narrow screen, in a list.
import { useState } from 'react'
import { type DownloadLink } from '../../shell/client/types.ts'
import { Problem } from '../../shell/components/problem.tsx'
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
import { expiresText, usedText } from './labels.ts'
import { Customer, LinkActions, LinkBadge } from './link-row.tsx'
import { t } from '../../shell/messages/t.ts'

interface Props {
  links: readonly DownloadLink[]
  /** Shows the file or pack of each link. */
  named: boolean
}

export function LinksTable({ links, named }: Props) {
  const { mdDown } = useBreakpoints()
  // The card of one file's links is too narrow for the table's columns on every screen.
  const narrow = mdDown || !named
  const [error, setError] = useState<Error | null>(null)
  return (
    <>
      {error && (
        <Box padding="400">
          <Problem error={error} what={t('That could not be done')} />
        </Box>
      )}
      <RowsTable
        names={{ singular: t('link'), plural: t('links') }}
        headings={[
          { title: t('File or pack') },
          { title: t('Customer') },
          { title: t('Status') },
          { title: t('Downloads') },
          { title: t('Expires') },
          { title: t('Actions'), hidden: true },
        ]}
        narrow={narrow}
        rows={links}
      >
        {(link) =>
          narrow ? (
            <NarrowLink link={link} named={named} onError={setError} />
          ) : (
            <WideLink link={link} onError={setError} />
          )
        }
      </RowsTable>
    </>
  )
}

interface RowProps {
  link: DownloadLink
  named: boolean
  onError: (error: Error | null) => void
}

function Target({ link: { file_id, pack_id, filename } }: { link: DownloadLink }) {
  const name = (
    <>
      <Text as="span" fontWeight="medium" breakWord>
        {filename}
      </Text>
      {!file_id && (
        <Text as="span" tone="subdued">
          {' '}
          {pack_id ? t('(pack)') : t('(deleted pack)')}
        </Text>
      )}
    </>
  )
  if (!file_id && !pack_id) return name
  return (
    <Link url={pack_id ? `/packs/${pack_id}` : `/files/${file_id}`} monochrome removeUnderline>
      {name}
    </Link>
  )
}

const WideLink = ({ link, onError }: Omit<RowProps, 'named'>) => (
  <>
    <IndexTable.Cell>
      <span className="cut" title={link.filename}>
        <Target link={link} />
      </span>
    </IndexTable.Cell>
    <IndexTable.Cell>
      <span className="cut" title={link.email ?? undefined}>
        <Customer link={link} />
      </span>
    </IndexTable.Cell>
    <IndexTable.Cell>
      <LinkBadge link={link} />
    </IndexTable.Cell>
    <IndexTable.Cell className="tabular">{usedText(link)}</IndexTable.Cell>
    <IndexTable.Cell>{expiresText(link)}</IndexTable.Cell>
    <IndexTable.Cell>
      <LinkActions link={link} onError={onError} />
    </IndexTable.Cell>
  </>
)

const NarrowLink = ({ link, named, onError }: RowProps) => (
  <Box padding="400">
    <InlineStack align="space-between" blockAlign="center" wrap={false} gap="300">
      <BlockStack gap="100" inlineAlign="start">
        <LinkBadge link={link} />
        {named && <Target link={link} />}
        <Text as="span" breakWord>
          <Customer link={link} />
        </Text>
        <Text as="span" variant="bodySm" tone="subdued">
          {usedText(link)} · {expiresText(link)}
        </Text>
      </BlockStack>
      <div className="actions">
        <LinkActions link={link} onError={onError} />
      </div>
    </InlineStack>
  </Box>
)
