// One feed: what its last run did, what would change now, its runs and its settings.
import { useEffect, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { toast } from '../../shell/client/bridge.ts'
import { useKnown } from '../../shell/client/edits.ts'
import { DeleteDialog } from '../../shell/components/delete-dialog.tsx'
import { Figures } from '../../shell/components/facts.tsx'
import { LeaveGuard } from '../../shell/components/leave-guard.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { Quiet } from '../../shell/components/quiet.tsx'
import { SaveBar } from '../../shell/components/save-bar.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { UnloadedPage } from '../../shell/components/unloaded-page.tsx'
import { useRecordDraft } from '../../shell/components/use-record-draft.ts'
import { numberText } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'
import { detailText, messageText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'
import {
  Badge,
  Banner,
  BlockStack,
  Box,
  Button,
  Card,
  Heading,
  Hint,
  InlineStack,
  Link,
  SmallPrint,
  Text,
} from '../../shell/ui/index.ts'
import { CSV_FIELDS } from '../csv/calls.ts'
import { CSV_FIELDS_TEXT } from '../csv/labels.ts'
import { StatusBadge } from '../operations/status.tsx'
import {
  type Feed,
  type FeedRowChange,
  type FeedRun,
  type FeedTable,
  isMoving,
  useChangeFeed,
  useDeleteFeed,
  useFeed,
  useFeedChanges,
  useFeedRuns,
  useRunFeed,
} from './calls.ts'
import { changeOf, draftOf } from './draft.ts'
import { FeedForm } from './feed-form.tsx'
import { CHANGES, countsText, feedState, filesText, nextText, runWord, whenText } from './labels.ts'
import './feeds.css'

export function FeedPage({ id }: { id: string }) {
  const feed = useFeed(id)
  if (feed.data) return <Loaded feed={feed.data} query={feed} />
  return (
    <UnloadedPage
      query={feed}
      back={{ content: t('Feeds'), url: '/import/feeds' }}
      title={t('Feed')}
      what={t('the feed')}
      problem={t('The feed could not be loaded')}
      missing={{
        title: t('Feed not found'),
        heading: t('This feed doesn’t exist'),
        action: t('Go to feeds'),
        hint: t('It may have been deleted.'),
      }}
    />
  )
}

function Loaded({ feed, query }: { feed: Feed; query: ReturnType<typeof useFeed> }) {
  const { name, url, error } = feed
  const [deleting, setDeleting] = useState(false)
  const pause = useChangeFeed(feed.id, useKnown(feed, false))
  const word = feedState(feed)
  return (
    <Page
      title={name}
      titleMetadata={<Badge tone={word.tone}>{word.text}</Badge>}
      subtitle={url}
      backAction={{ content: t('Feeds'), url: '/import/feeds' }}
      secondaryActions={[
        {
          content: feed.enabled ? t('Pause') : t('Resume'),
          onAction: () => pause.mutate({ enabled: !feed.enabled }),
        },
        { content: t('Delete'), destructive: true, onAction: () => setDeleting(true) },
      ]}
    >
      <BlockStack gap="400">
        <LoadProblem query={query} what={t('The feed could not be loaded')} />
        {pause.error && <Problem error={pause.error} what={t('The feed could not be changed')} />}
        {error && (
          <Banner tone="critical" title={t('The last run failed')}>
            <Text as="p">{messageText(error)}</Text>
            {detailText(error) !== undefined && <Text as="p">{detailText(error)}</Text>}
            <Text as="p">{t('Nothing was changed, and no row counts as vanished.')}</Text>
          </Banner>
        )}
        <RunCard feed={feed} />
        <RunsCard feed={feed} />
        <SettingsForm feed={feed} />
      </BlockStack>
      {deleting && <DeleteFeed feed={feed} onClose={() => setDeleting(false)} />}
    </Page>
  )
}

function DeleteFeed({ feed: { id, name }, onClose }: { feed: Feed; onClose: () => void }) {
  const remove = useDeleteFeed()
  return (
    <DeleteDialog
      open
      title={t('Delete “{name}”?', { name })}
      deleting={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onDelete={() =>
        remove.mutate(id, {
          onSuccess: () => {
            toast(t('Feed deleted'))
            navigate('/import/feeds')
          },
        })
      }
    >
      <Text as="p">
        {t('It is no longer imported, and its address and headers are deleted. Its files stay.')}
      </Text>
    </DeleteDialog>
  )
}

// The last run, and buttons to start one.

function RunCard({ feed }: { feed: Feed }) {
  const { id, last_run: run, files } = feed
  const about = `${filesText(files)} · ${whenText(feed)} · ${t('Next run: {at}', { at: nextText(feed) })}`
  return (
    <Titled title={t('Last run')} help={about} action={isMoving(feed) ? null : <Start id={id} />}>
      {run === null ? (
        <Hint>
          {t('The preview lists what the first run would import, without changing anything.')}
        </Hint>
      ) : (
        <Result feed={feed} run={run} />
      )}
    </Titled>
  )
}

function Start({ id }: { id: string }) {
  const start = useRunFeed()
  const button = (dry_run: boolean) => ({
    loading: start.isPending && start.variables.dry_run === dry_run,
    disabled: start.isPending,
    onClick: () =>
      start.mutate(
        { id, dry_run },
        {
          onSuccess: () =>
            toast(dry_run ? t('The preview has started') : t('The import has started')),
        },
      ),
  })
  return (
    <BlockStack gap="200" inlineAlign="end">
      <InlineStack gap="200">
        <Button {...button(true)}>{t('See what would change')}</Button>
        <Button variant="primary" {...button(false)}>
          {t('Import now')}
        </Button>
      </InlineStack>
      {start.error && <Problem error={start.error} what={t('The run could not be started')} />}
    </BlockStack>
  )
}

function Result({ feed, run }: { feed: Feed; run: FeedRun }) {
  const { status, error, started_at, finished_at } = run
  const hasChanges = run.new + run.changed + run.vanished + run.problems > 0
  return (
    <BlockStack gap="400">
      <InlineStack gap="200" blockAlign="center">
        <StatusBadge word={runWord(run)} />
        <Text as="span">{momentText(finished_at ?? started_at)}</Text>
        {error && <Text as="span">{messageText(error)}</Text>}
      </InlineStack>
      {status === 'waiting' && (
        <Banner tone="warning" title={t('Files of vanished rows wait for your confirmation')}>
          <p>
            {t(
              'The run would move more than 20 % of the feed’s files, or more than 100, to the trash. Make sure that the table is whole, then open the preview and confirm it.',
            )}
          </p>
        </Banner>
      )}
      {run.incomplete && (
        <Banner tone="warning">
          <p>{t('A row could not be read, so vanished rows were not looked for.')}</p>
        </Banner>
      )}
      {!error && status !== 'reading' && <Counted run={run} failing={feed.failing} />}
      <Operations run={run} />
      {hasChanges && <Changes key={run.id} id={feed.id} run={run} />}
    </BlockStack>
  )
}

function Counted({ run, failing }: { run: FeedRun; failing: number }) {
  const rows: [string, number][] = [
    [t('Rows'), run.rows],
    [t('New'), run.new],
    [t('Changed', {}, 'number of files'), run.changed],
    [t('Vanished'), run.vanished],
    [t('Unchanged'), run.unchanged],
  ]
  if (run.problems > 0) rows.push([t('Problems'), run.problems])
  if (failing > 0) rows.push([t('Failed'), failing])
  return <Figures rows={rows.map(([name, count]) => [name, numberText(count)] as const)} />
}

const PARTS: Record<FeedRun['operations'][number]['part'], string> = {
  imports: t('New files and versions'),
  updates: t('Changed files'),
  vanished: t('Files of vanished rows'),
}

const Operations = ({ run: { operations } }: { run: FeedRun }) =>
  operations.length === 0 ? null : (
    <InlineStack gap="400">
      {operations.map(({ id, part, status }) => (
        <Link key={id} url={`/operations/${id}`}>
          {status === 'previewed' ? t('Open the preview') : PARTS[part]}
        </Link>
      ))}
    </InlineStack>
  )

function Changes({ id, run }: { id: string; run: FeedRun }) {
  const changes = useFeedChanges(id, run.id)
  const list = changes.data?.pages.flatMap(({ data }) => data)
  const title = run.dry_run ? t('What would change') : t('What this run found')
  return (
    <BlockStack gap="300" inlineAlign="start">
      <Heading>{title}</Heading>
      <LoadProblem query={changes} what={t('The rows could not be loaded')} />
      {changes.isPending && <LoadingRows rows={3} what={t('rows')} />}
      {list && (
        <ul className="feed-changes" aria-label={title}>
          {list.map((change, at) => (
            <ChangedRow key={at} change={change} />
          ))}
        </ul>
      )}
      {changes.hasNextPage && (
        <Button loading={changes.isFetchingNextPage} onClick={() => void changes.fetchNextPage()}>
          {t('Show more')}
        </Button>
      )}
    </BlockStack>
  )
}

function ChangedRow({ change }: { change: FeedRowChange }) {
  const { row, kind, filename, fields, file_id, problem } = change
  const names = CSV_FIELDS.filter((field) => fields.includes(field)).map(
    (field) => CSV_FIELDS_TEXT[field].label,
  )
  return (
    <li>
      <InlineStack gap="200" blockAlign="baseline">
        <Badge tone={kind === 'problem' ? 'critical' : undefined}>{CHANGES[kind]}</Badge>
        {file_id === null ? (
          <Text as="span" breakWord>
            {filename}
          </Text>
        ) : (
          <Link url={`/files/${file_id}`}>{filename}</Link>
        )}
        {row !== null && <SmallPrint>{t('Row {row}', { row: numberText(row) })}</SmallPrint>}
      </InlineStack>
      {kind !== 'new' && names.length > 0 && <SmallPrint>{names.join(', ')}</SmallPrint>}
      {problem && (
        <Text as="p" variant="bodySm" tone="critical" breakWord>
          {detailText(problem) ?? messageText(problem)}
        </Text>
      )}
    </li>
  )
}

// The last runs, each with links to its operations.

function RunsCard({ feed: { id, last_run } }: { feed: Feed }) {
  const runs = useFeedRuns(id)
  const { refetch } = runs
  const list = runs.data?.data
  // Keeps the list consistent with the card above it.
  useEffect(() => void refetch(), [refetch, last_run?.id, last_run?.status])
  return (
    <Card padding="0">
      <Box padding="400">
        <Heading>{t('Last runs')}</Heading>
      </Box>
      {runs.error && (
        <Box padding="400" paddingBlockStart="0">
          <LoadProblem query={runs} what={t('The runs could not be loaded')} />
        </Box>
      )}
      {runs.isPending && <LoadingRows rows={2} what={t('runs')} />}
      {list?.length === 0 && (
        <Quiet heading={t('No run yet')} text={t('Each run is listed here with its result.')} />
      )}
      {list && list.length > 0 && (
        <ul className="feeds" aria-label={t('Last runs')}>
          {list.map((run) => (
            <li key={run.id}>
              <span>{momentText(run.started_at)}</span>
              <BlockStack gap="100">
                <span>{run.error ? messageText(run.error) : countsText(run)}</span>
                <Operations run={run} />
              </BlockStack>
              <StatusBadge word={runWord(run)} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

// The settings, which are saved together.

function SettingsForm({ feed }: { feed: Feed }) {
  const form = useRecordDraft({ record: feed, draftOf, changeOf })
  const { draft, change, dirty } = form
  const [table, setTable] = useState<FeedTable>()
  const save = useChangeFeed(feed.id, useKnown(feed, dirty))
  const problems = problemsOf([], objectionsIn(save.error))
  return (
    <>
      <LeaveGuard dirty={dirty} what={t('the settings')} />
      {save.error && problems.all.length === 0 && (
        <Problem error={save.error} what={t('The feed could not be changed')} />
      )}
      <FeedForm
        draft={draft}
        problems={problems}
        feed={feed}
        table={table}
        onTable={setTable}
        onChange={(part) => {
          form.edit(part)
          if (save.error) save.reset()
        }}
      />
      {(dirty || save.isPending) && (
        <SaveBar
          dirty={dirty}
          saving={save.isPending}
          problems={problems.all.length}
          save={t('Save')}
          onSave={() =>
            save.mutate(change, {
              onSuccess: (saved) => {
                form.saved(saved, draft)
                toast(t('Feed saved'))
              },
            })
          }
          onDiscard={() => {
            form.discard()
            save.reset()
          }}
        />
      )}
    </>
  )
}
