// A file's links: whose, until when, how often used.
import { useLinks } from '../../client/queries.ts'
import { type DownloadLink } from '../../client/types.ts'
import { Copy } from '../../components/copy.tsx'
import { LoadingRows } from '../../components/lists.tsx'
import { Problem } from '../../components/problem.tsx'
import { Badge, BlockStack, Box, Button, Card, IndexTable, InlineStack, Text, useBreakpoints } from '../../ui/index.ts'
import { linkStatus } from '../../words/file.ts'
import { usedText } from '../../words/link.ts'
import { momentText } from '../../words/time.ts'

export function LinksCard({ fileId, onCreate }: { fileId: string; onCreate: () => void }) {
  const links = useLinks(fileId)
  const list = links.data?.pages.flatMap((page) => page.data)
  return (
    <Card padding="0">
      <Box padding="400">
        <InlineStack align="space-between" blockAlign="center">
          <Text as="h2" variant="headingMd">
            Links
          </Text>
          <Button onClick={onCreate}>Create link</Button>
        </InlineStack>
      </Box>
      {links.error && (
        <Box padding="400" paddingBlockStart="0">
          <Problem
            error={links.error}
            stale={list !== undefined}
            what="The links could not be loaded"
            onRetry={() => void links.refetch()}
            retrying={links.isFetching}
          />
        </Box>
      )}
      {links.isPending && <LoadingRows rows={2} what="links" />}
      {list?.length === 0 && (
        <Box padding="400" paddingBlockStart="0">
          <Text as="p" tone="subdued">
            No links yet. A link lets one buyer download this file until it expires or runs out.
          </Text>
        </Box>
      )}
      {list && list.length > 0 && <LinksTable links={list} />}
      {links.hasNextPage && (
        <Box padding="300">
          <InlineStack align="center">
            <Button variant="plain" loading={links.isFetchingNextPage} onClick={() => void links.fetchNextPage()}>
              Show more links
            </Button>
          </InlineStack>
        </Box>
      )}
    </Card>
  )
}

function LinksTable({ links }: { links: readonly DownloadLink[] }) {
  const { mdDown: narrow } = useBreakpoints()
  return (
    <IndexTable
      resourceName={{ singular: 'link', plural: 'links' }}
      itemCount={links.length}
      selectable={false}
      condensed={narrow}
      headings={[
        { title: 'Customer' },
        { title: 'Status' },
        { title: 'Downloads' },
        { title: 'Expires' },
        { title: 'Copy', hidden: true },
      ]}
    >
      {links.map((link, position) => (
        <IndexTable.Row key={link.id} id={link.id} position={position}>
          {narrow ? <NarrowLink link={link} /> : <WideLink link={link} />}
        </IndexTable.Row>
      ))}
    </IndexTable>
  )
}

function WideLink({ link }: { link: DownloadLink }) {
  return (
    <>
      <IndexTable.Cell>
        <span className="cut" title={link.email ?? undefined}>
          <Customer link={link} />
        </span>
      </IndexTable.Cell>
      <IndexTable.Cell>
        <LinkBadge link={link} />
      </IndexTable.Cell>
      <IndexTable.Cell className="tabular">{usedText(link)}</IndexTable.Cell>
      <IndexTable.Cell>{expires(link)}</IndexTable.Cell>
      <IndexTable.Cell>
        <CopyLink link={link} />
      </IndexTable.Cell>
    </>
  )
}

function NarrowLink({ link }: { link: DownloadLink }) {
  return (
    <Box padding="400">
      <InlineStack align="space-between" blockAlign="center" wrap={false} gap="300">
        <BlockStack gap="100" inlineAlign="start">
          <LinkBadge link={link} />
          <Text as="span" breakWord>
            <Customer link={link} />
          </Text>
          <Text as="span" variant="bodySm" tone="subdued">
            {usedText(link)} · {expires(link)}
          </Text>
        </BlockStack>
        <CopyLink link={link} />
      </InlineStack>
    </Box>
  )
}

const expires = ({ expires_at }: DownloadLink) => (expires_at === null ? 'Never' : momentText(expires_at))

function Customer({ link }: { link: DownloadLink }) {
  return (
    link.email ?? (
      <Text as="span" tone="subdued">
        Anyone with the link
      </Text>
    )
  )
}

function LinkBadge({ link }: { link: DownloadLink }) {
  const status = linkStatus(link.status)
  return <Badge tone={status.tone}>{status.text}</Badge>
}

function CopyLink({ link }: { link: DownloadLink }) {
  const whose = link.email ? `link of ${link.email}` : 'link'
  return link.url === null ? null : <Copy text={link.url} what={whose} label="Copy link" />
}
