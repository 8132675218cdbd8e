// The links of a file or of a pack: recipient, expiry, downloads.
import { type LinksOf, useLinksOf } from './list-calls.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Box, Button, Card, Heading, Hint, InlineStack } from '../../shell/ui/index.ts'
import { LinksTable } from './links-table.tsx'
import { t } from '../../shell/messages/t.ts'

interface Props {
  of: LinksOf
  /** The text if there are none. */
  nothing: string
  /** null: no link can be created now. */
  onCreate: (() => void) | null
}

export function LinksCard({ of, nothing, onCreate }: Props) {
  const links = useLinksOf(of)
  const list = links.data?.pages.flatMap((page) => page.data)
  return (
    <Card padding="0">
      <Box padding="400">
        <InlineStack align="space-between" blockAlign="center">
          <Heading>{t('Links')}</Heading>
          {onCreate && <Button onClick={onCreate}>{t('Create link')}</Button>}
        </InlineStack>
      </Box>
      {links.error && (
        <Box padding="400" paddingBlockStart="0">
          <LoadProblem query={links} what={t('The links could not be loaded')} />
        </Box>
      )}
      {links.isPending && <LoadingRows rows={2} what={t('links')} />}
      {list?.length === 0 && (
        <Box padding="400" paddingBlockStart="0">
          <Hint>{nothing}</Hint>
        </Box>
      )}
      {list && list.length > 0 && <LinksTable links={list} named={false} />}
      {links.hasNextPage && (
        <Box padding="300">
          <InlineStack align="center">
            <Button
              variant="plain"
              loading={links.isFetchingNextPage}
              onClick={() => void links.fetchNextPage()}
            >
              {t('Show more links')}
            </Button>
          </InlineStack>
        </Box>
      )}
    </Card>
  )
}
