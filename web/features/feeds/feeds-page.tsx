// The tables at addresses that are imported again and again, each with its state and last run.
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Page } from '../../shell/components/page.tsx'
import { SmallError } from '../../shell/components/small-error.tsx'
import { toast } from '../../shell/client/bridge.ts'
import { actionName } from '../../shell/labels/action-name.ts'
import { messageText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'
import {
  BlockStack,
  Button,
  Card,
  InlineStack,
  Link,
  SmallPrint,
  Text,
} from '../../shell/ui/index.ts'
import { StatusBadge } from '../operations/status.tsx'
import { type Feed, isMoving, useFeeds, useRunFeed } from './calls.ts'
import { countsText, feedState, filesText, nextText, runWord } from './labels.ts'
import './feeds.css'

export function FeedsPage() {
  const feeds = useFeeds()
  const list = feeds.data?.data
  const add = { content: t('Add a feed'), url: '/import/feeds/new' }
  return (
    <Page
      title={t('Feeds')}
      subtitle={t('Tables at addresses that are imported again and again')}
      backAction={{ content: t('Import'), url: '/import' }}
      primaryAction={list?.length ? add : undefined}
    >
      <BlockStack gap="400">
        <LoadProblem query={feeds} what={t('The feeds could not be loaded')} />
        {feeds.isPending && (
          <Card padding="0">
            <LoadingRows rows={3} what={t('feeds')} />
          </Card>
        )}
        {list?.length === 0 && (
          <Card>
            <Nothing why="new" heading={t('There is no feed yet')} action={add}>
              {t(
                'A Google Sheet, the feed of a supplier, or any other CSV, XLSX or JSON at an address. Each run carries out only what differs from the last one.',
              )}
            </Nothing>
          </Card>
        )}
        {list && list.length > 0 && (
          <Card padding="0">
            <ul className="feeds" aria-label={t('Feeds')}>
              {list.map((feed) => (
                <FeedRow key={feed.id} feed={feed} />
              ))}
            </ul>
          </Card>
        )}
      </BlockStack>
    </Page>
  )
}

function FeedRow({ feed }: { feed: Feed }) {
  const { id, name, url, files, error, last_run } = feed
  return (
    <li>
      <BlockStack gap="100" inlineAlign="start">
        <Link url={`/import/feeds/${id}`} monochrome removeUnderline>
          <Text as="span" fontWeight="semibold" breakWord>
            {name}
          </Text>
        </Link>
        <SmallPrint>{`${URL.parse(url)?.host ?? url} · ${filesText(files)}`}</SmallPrint>
        <StatusBadge word={feedState(feed)} />
      </BlockStack>
      <BlockStack gap="100">
        {last_run ? (
          <InlineStack gap="200" blockAlign="center">
            <SmallPrint>{t('Last run')}</SmallPrint>
            <StatusBadge word={runWord(last_run)} />
            {!last_run.error && <SmallPrint>{countsText(last_run)}</SmallPrint>}
          </InlineStack>
        ) : (
          <Text as="span" tone="subdued">
            {t('Never imported')}
          </Text>
        )}
        <SmallPrint>{t('Next run: {at}', { at: nextText(feed) })}</SmallPrint>
        {error && (
          <Text as="p" variant="bodySm" tone="critical" breakWord>
            {messageText(error)}
          </Text>
        )}
      </BlockStack>
      <RowAction feed={feed} />
    </li>
  )
}

function RowAction({ feed }: { feed: Feed }) {
  const { id, name, last_run } = feed
  const run = useRunFeed()
  if (isMoving(feed)) return <span />
  if (last_run?.status === 'waiting')
    return (
      <Button
        url={`/import/feeds/${id}`}
        accessibilityLabel={actionName(t('Check the preview'), name)}
      >
        {t('Check the preview')}
      </Button>
    )
  return (
    <BlockStack gap="100" inlineAlign="end">
      <Button
        loading={run.isPending}
        accessibilityLabel={actionName(t('Import now'), name)}
        onClick={() =>
          run.mutate(
            { id, dry_run: false },
            { onSuccess: () => toast(t('The import has started')) },
          )
        }
      >
        {t('Import now')}
      </Button>
      <SmallError error={run.error} />
    </BlockStack>
  )
}
