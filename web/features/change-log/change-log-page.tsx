// The log of changes of a shop's configuration.
import { type LoggedChange, useChanges, useExportChanges } from './calls.ts'
import { Facts } from '../../shell/components/facts.tsx'
import { ListPages } from '../../shell/components/list-pages.tsx'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Card, Select, Text } from '../../shell/ui/index.ts'
import { listState, oneOf } from '../../shell/url-state/list-state.ts'
import { useUrlState } from '../../shell/url-state/use-url-state.ts'
import { fieldLabel, KIND_LABELS, KINDS, shownFields, titleOf } from './labels.ts'

const PAGE_SIZE = 25
const STATE = listState({ kind: oneOf(KINDS, '') })

export function ChangeLogPage() {
  const { urlState, go, pages } = useUrlState(STATE)
  const filter = urlState.kind === '' ? {} : { kind: urlState.kind }
  const changes = useChanges({ ...filter, cursor: urlState.cursor, limit: PAGE_SIZE })
  const save = useExportChanges()
  const list = changes.data
  return (
    <Page
      title={t('Log of changes')}
      subtitle={t(
        'Who changed settings, keys, workflows, rules and connections. Kept for 13 months.',
      )}
      backAction={{ content: t('Settings'), url: '/settings' }}
      secondaryActions={[
        { content: t('Export CSV'), loading: save.isPending, onAction: () => save.mutate(filter) },
      ]}
    >
      <BlockStack gap="400">
        <LoadProblem query={changes} what={t('The changes could not be loaded')} />
        {save.error && <Problem error={save.error} what={t('The changes could not be exported')} />}
        <Card>
          <Select
            label={t('Show')}
            options={[
              { label: t('All changes'), value: '' },
              ...KINDS.map((value) => ({ label: KIND_LABELS[value], value })),
            ]}
            value={urlState.kind}
            onChange={(kind) => go({ kind: kind as LoggedChange['kind'] | '' })}
          />
        </Card>
        {list?.data.length === 0 && <NoChanges filtered={urlState.kind !== ''} />}
        {list && list.data.length > 0 && (
          <Card padding="0">
            <ul className="entries" aria-label={t('Changes')}>
              {list.data.map((change) => (
                <Entry key={change.id} change={change} />
              ))}
            </ul>
            <ListPages
              what={t('changes')}
              all={t('{count, plural, one {# change} other {# changes}}', {
                count: list.data.length,
              })}
              page={urlState.page}
              next={list.next_cursor}
              pages={pages}
              stale={changes.isPlaceholderData}
            />
          </Card>
        )}
        {changes.isPending && (
          <Card padding="0">
            <LoadingRows rows={3} what={t('the changes')} />
          </Card>
        )}
      </BlockStack>
    </Page>
  )
}

const NoChanges = ({ filtered }: { filtered: boolean }) => (
  <Card>
    <Nothing why={filtered ? 'unmatched' : 'new'} heading={t('No changes')}>
      {filtered
        ? t('Nothing of this kind was changed in the last 13 months.')
        : t(
            'When somebody changes a setting, a key, a workflow or a rule, it appears here with their name.',
          )}
    </Nothing>
  </Card>
)

function Entry({ change }: { change: LoggedChange }) {
  const { by, created_at, secrets } = change
  const who = by.api_key_id === null ? by.name : t('API key “{name}”', { name: by.name })
  return (
    <li>
      <BlockStack gap="200">
        <Text as="h2" variant="headingSm" breakWord>
          {titleOf(change)}
        </Text>
        <Text as="p" tone="subdued" breakWord>
          {t('{who}, {when}', { who, when: momentText(created_at) })}
        </Text>
        <Facts
          rows={[
            ...shownFields(change),
            ...secrets.map((field): [string, string] => [fieldLabel(field), t('replaced')]),
          ]}
        />
      </BlockStack>
    </li>
  )
}
