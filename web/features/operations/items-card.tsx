// The files of one operation, each with its result, with tabs and a search.
import { ListPages } from '../../shell/components/list-pages.tsx'
import type { ItemStatus, Operation, Item } from '../../shell/client/types.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { useDraft } from '../../shell/url-state/use-draft.ts'
import { type UrlState, useUrlState } from '../../shell/url-state/use-url-state.ts'
import { Box, Button, Card, InlineStack, Tabs, Text, TextField } from '../../shell/ui/index.ts'
import { numberText } from '../../shell/labels/size.ts'
import { t, translated } from '../../shell/messages/t.ts'
import { usePlugins } from '../../shell/client/plugins.ts'
import { isMoving, useItems } from './calls.ts'
import { ITEMS_STATE, type ItemsUrlState, operationsQuery } from './url-state.ts'
import { waitingCount } from './labels.ts'
import { isPreview } from './operation-status.ts'
import { ItemsTable } from './items-table.tsx'
import { adviceFor } from './advice.ts'

const PAGE_SIZE = 50

export function ItemsCard({ operation }: { operation: Operation }) {
  const { urlState, go, pages } = useUrlState(ITEMS_STATE)
  const items = useItems(
    operation.id,
    operationsQuery(urlState, PAGE_SIZE),
    operation.status,
    isMoving(operation),
  )
  const list = items.data
  const failed = items.error !== null && (list === undefined || items.isPlaceholderData)
  return (
    <Card padding="0">
      <ResultTabs operation={operation} warned={list?.warned ?? 0} urlState={urlState} go={go} />
      <Search urlState={urlState} go={go} />
      {urlState.error !== '' && <OneCause go={go} />}
      {urlState.step !== '' && <OneStep operation={operation} urlState={urlState} go={go} />}
      <div id="items">
        {items.error && (
          <Box padding="400">
            <Problem
              error={items.error}
              stale={!failed}
              what={t('The files could not be loaded')}
              onRetry={() => void items.refetch()}
              retrying={items.isFetching}
            />
          </Box>
        )}
        {failed ? null : list === undefined ? (
          <LoadingRows what={t('files')} />
        ) : list.data.length === 0 ? (
          <Box padding="800">
            <Text as="p" alignment="center" tone="subdued">
              {urlState.search.trim() !== ''
                ? t('No file’s name contains this.')
                : urlState.status === null && !urlState.warned
                  ? t('This operation has no files.')
                  : t('No file has this result.')}
            </Text>
          </Box>
        ) : (
          <>
            <NextSteps items={list.data} operation={operation} />
            <ItemsTable items={list.data} operation={operation} />
            <ListPages
              what={t('results')}
              all={t('{count, plural, one {# file} other {# files}}', { count: list.data.length })}
              page={urlState.page}
              next={list.next_cursor}
              pages={pages}
              stale={items.isPlaceholderData}
            />
          </>
        )}
      </div>
    </Card>
  )
}

interface NarrowProps {
  urlState: ItemsUrlState
  go: UrlState<ItemsUrlState>['go']
}

interface ResultTabsProps extends NarrowProps {
  operation: Operation
  /** How many items have a warning. */
  warned: number
}

function ResultTabs({ operation, warned, urlState, go }: ResultTabsProps) {
  const isSelected = (tab: ResultTab) =>
    tab.warned === urlState.warned && tab.status === urlState.status
  // An empty tab that cannot fill any more is hidden, unless it is selected.
  const tabs = tabsOf(operation, warned).filter(
    (tab) =>
      tab.count > 0 ||
      !(tab.warned || tab.status === 'pending' || tab.status === 'cancelled') ||
      isSelected(tab),
  )
  return (
    <Tabs
      tabs={tabs.map(({ status, warned, text, count }) => ({
        id: `items-${warned ? 'warned' : (status ?? 'all')}`,
        content: text,
        badge: numberText(count),
        panelID: 'items',
      }))}
      selected={Math.max(0, tabs.findIndex(isSelected))}
      onSelect={(at) =>
        go({ status: tabs[at]?.status ?? null, warned: tabs[at]?.warned ?? null, error: '' })
      }
    />
  )
}

/** A link from the home page shows the files that failed for one reason. */
const OneCause = ({ go }: Pick<NarrowProps, 'go'>) => (
  <Box paddingInline="300" paddingBlockEnd="300">
    <InlineStack gap="200" blockAlign="center">
      <Text as="span" tone="subdued">
        {t('Only files that failed for one reason are shown.')}
      </Text>
      <Button variant="plain" onClick={() => go({ error: '' })}>
        {t('Show all failed files')}
      </Button>
    </InlineStack>
  </Box>
)

/** A number of the card of a step shows its files. */
function OneStep({ operation, urlState, go }: NarrowProps & { operation: Operation }) {
  const step = operation.steps.find(({ id }) => id === urlState.step)
  return (
    <Box paddingInline="300" paddingBlockEnd="300">
      <InlineStack gap="200" blockAlign="center">
        <Text as="span" tone="subdued">
          {t('Only files of one result of the step “{title}” are shown.', {
            title: translated(step?.title ?? urlState.step),
          })}
        </Text>
        <Button variant="plain" onClick={() => go({ step: '', step_result: null })}>
          {t('Show all files')}
        </Button>
      </InlineStack>
    </Box>
  )
}

function Search({ urlState, go }: NarrowProps) {
  const search = useDraft(urlState.search, (text) =>
    go({ search: text }, { replace: urlState.search !== '' && text !== '' }),
  )
  return (
    <Box paddingInline="300" paddingBlockEnd="300">
      <TextField
        label={t('Search the files of this operation')}
        labelHidden
        placeholder={t('Search these files by name')}
        clearButton
        value={search.text}
        onChange={search.change}
        onClearButtonClick={search.clear}
      />
    </Box>
  )
}

interface ResultTab {
  status: ItemStatus | null
  warned: true | null
  text: string
  count: number
}

function tabsOf(operation: Operation, warned: number): ResultTab[] {
  const preview = isPreview(operation)
  const { total, done, failed, skipped, cancelled } = operation
  const tabOf = (status: ItemStatus | null, text: string, count: number) => ({
    status,
    text,
    count,
    warned: null,
  })
  return [
    tabOf(null, t('All'), total),
    tabOf('done', preview ? t('Would be done') : t('Done'), done),
    tabOf('failed', preview ? t('Would fail') : t('Failed'), failed),
    tabOf('skipped', preview ? t('Would be skipped') : t('Skipped'), skipped),
    tabOf('pending', t('Waiting'), waitingCount(operation)),
    tabOf('cancelled', t('Cancelled'), cancelled),
    { status: null, warned: true, text: t('Warnings'), count: warned },
  ]
}

// Advice about the failed files below, each once, with the errors that it is about.

interface Props {
  operation: Operation
  items: readonly Item[]
}

function NextSteps({ operation, items }: Props) {
  const advice = adviceFor(operation, items, usePlugins().data?.data ?? [])
  if (advice.length === 0) return null
  return (
    <Box padding="400" borderBlockEndWidth="025" borderColor="border-secondary">
      <Text as="h3" variant="headingSm">
        {t('Next steps')}
      </Text>
      <ul className="bullets">
        {advice.map(({ text, errors }) => (
          <li key={text}>{t('{field}: {value}', { field: errors.join(', '), value: text })}</li>
        ))}
      </ul>
    </Box>
  )
}
