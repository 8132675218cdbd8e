// One list of licence keys: its terms, and the keys that buyers have.
import { useCallback, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import type { LoadedQuery } from '../../shell/client/together.ts'
import { UnloadedPage } from '../../shell/components/unloaded-page.tsx'
import { Facts } from '../../shell/components/facts.tsx'
import { ListPages } from '../../shell/components/list-pages.tsx'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Page } from '../../shell/components/page.tsx'
import { SearchAndStatus } from '../../shell/components/search-and-status.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Card } from '../../shell/ui/index.ts'
import { useUrlState } from '../../shell/url-state/use-url-state.ts'
import { listState, oneOf, trimmed } from '../../shell/url-state/list-state.ts'
import { ReportDialog } from '../reports/report-dialog.tsx'
import { AddKeys } from './add-keys.tsx'
import { type LicenceList, useLicenceKeys, useLicenceList, type LicenceKey } from './calls.ts'
import { EditList } from './create-list.tsx'
import { DeleteList } from './delete-list.tsx'
import { KeyDialogs, type KeyDialog } from './key-actions.tsx'
import { KeysTable } from './keys-table.tsx'
import { keyStatus, licenceCounts, termTexts } from './labels.ts'

const SHOWN = 50
const BACK = { content: t('Licence keys'), url: '/settings/licences' }

export function LicenceListPage({ id }: { id: string }) {
  const list = useLicenceList(id)
  if (list.data) return <Whole list={list.data} query={list} />
  return (
    <UnloadedPage
      query={list}
      back={BACK}
      title={t('Licence keys')}
      what={t('the list')}
      problem={t('The list could not be loaded')}
      missing={{
        title: t('List not found'),
        heading: t('This list doesn’t exist'),
        action: t('Go to licence keys'),
        hint: t('It may have been deleted.'),
      }}
    />
  )
}

interface WholeProps {
  list: LicenceList
  query: LoadedQuery
}

function Whole({ list, query }: WholeProps) {
  const [open, setOpen] = useState<'add' | 'edit' | 'delete' | 'report' | null>(null)
  const close = () => setOpen(null)
  const edit = { content: t('Change'), onAction: () => setOpen('edit') }
  const add = { content: t('Add keys'), onAction: () => setOpen('add') }
  const isOwn = list.generate === null
  return (
    <Page
      title={list.name}
      subtitle={licenceCounts(list)}
      backAction={BACK}
      fullWidth
      primaryAction={isOwn ? add : edit}
      secondaryActions={[
        ...(isOwn ? [edit] : []),
        { content: t('Report …'), onAction: () => setOpen('report') },
        { content: t('Delete'), destructive: true, onAction: () => setOpen('delete') },
      ]}
    >
      <BlockStack gap="400">
        <LoadProblem query={query} what={t('The list could not be loaded')} />
        <Titled title={t('Terms')}>
          <Facts rows={termTexts(list)} />
        </Titled>
        <AssignedKeys list={list} />
      </BlockStack>
      {open === 'report' && (
        <ReportDialog
          reports={['activations']}
          filters={{ activations: { list_id: list.id } }}
          onClose={close}
        />
      )}
      {open === 'add' && <AddKeys list={list} onClose={close} />}
      {open === 'edit' && <EditList list={list} onClose={close} />}
      {open === 'delete' && (
        <DeleteList
          list={list}
          onClose={close}
          onDeleted={() => navigate(BACK.url, { replace: true })}
        />
      )}
    </Page>
  )
}

const NoKeys = () => (
  <Nothing
    why="new"
    heading={t('No buyer has a key yet')}
    action={{
      content: t('Create a workflow for deliveries'),
      url: '/workflows/new?kind=delivery',
    }}
  >
    {t(
      'A workflow on deliveries with the step “Assign licence keys” gives keys of this list to buyers. They are listed here.',
    )}
  </Nothing>
)

function AssignedKeys({ list: { id } }: Pick<WholeProps, 'list'>) {
  const { urlState, go, pages } = useUrlState(KEYS_STATE)
  const { search, status, cursor, page } = urlState
  const keys = useLicenceKeys(id, { search, status, cursor, limit: SHOWN })
  const [dialog, setDialog] = useState<KeyDialog | null>(null)
  const onOpen = useCallback((next: KeyDialog) => setDialog(next), [])
  const rows = keys.data?.data
  const none = rows?.length === 0
  if (none && search === '' && status === '' && cursor === '')
    return (
      <Card>
        <NoKeys />
      </Card>
    )
  return (
    <>
      <LoadProblem query={keys} what={t('The keys could not be loaded')} />
      <Card padding="0">
        <SearchAndStatus
          label={t('Search keys')}
          placeholder={t('A whole key, order, or email of the buyer')}
          value={urlState}
          statuses={KEY_STATUSES.map((value) => ({ value, label: keyStatus(value).text }))}
          go={go}
        />
        {keys.isPending && <LoadingRows rows={6} what={t('keys')} />}
        {none && (
          <Nothing
            why="unmatched"
            heading={t('No key matches')}
            action={{ content: t('Show all'), onAction: () => go({ search: '', status: '' }) }}
          />
        )}
        {rows && rows.length > 0 && (
          <>
            <KeysTable keys={rows} onOpen={onOpen} />
            <ListPages
              what={t('keys')}
              all={t('{count, plural, one {# key} other {# keys}}', { count: rows.length })}
              page={page}
              next={keys.data?.next_cursor ?? null}
              pages={pages}
              stale={keys.isPlaceholderData}
            />
          </>
        )}
      </Card>
      {dialog && <KeyDialogs dialog={dialog} onClose={() => setDialog(null)} />}
    </>
  )
}

// The search and page of the keys of a list, in the address.

const KEY_STATUSES = ['active', 'expired', 'revoked', 'replaced'] as const

const KEYS_STATE = listState({
  /** Exactly a key, the name of an order, or the address of a buyer. */
  search: trimmed,
  status: oneOf<LicenceKey['status'], ''>(KEY_STATUSES, ''),
})
