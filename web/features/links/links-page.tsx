// All links of the shop, newest first: searched by name, customer or status, revoked one by one, or
// saved as CSV.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { saveLinks, useLinkPage, useRevokeLinks } from './list-calls.ts'
import { type DownloadLink } from '../../shell/client/types.ts'
import { ListPages } from '../../shell/components/list-pages.tsx'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { SearchAndStatus } from '../../shell/components/search-and-status.tsx'
import { Question } from '../../shell/components/question.tsx'
import { LINK_STATUSES, LINKS_STATE } from './url-state.ts'
import { useUrlState } from '../../shell/url-state/use-url-state.ts'
import { ListViews } from '../../shell/views/list-views.tsx'
import { BlockStack, Card, Text } from '../../shell/ui/index.ts'
import { linkStatus } from '../../shell/files/labels.ts'
import { LinksTable } from './links-table.tsx'
import { t } from '../../shell/messages/t.ts'
import { ReportDialog } from '../reports/report-dialog.tsx'

const SHOWN = 50

const useLinksState = () => useUrlState(LINKS_STATE)

export function LinksPage() {
  const state = useLinksState()
  const { urlState } = state
  const query = { search: urlState.search, status: urlState.status }
  const links = useLinkPage({ ...query, limit: SHOWN, cursor: urlState.cursor })
  const [revoking, setRevoking] = useState(false)
  const [reporting, setReporting] = useState(false)
  const [saving, setSaving] = useState<Error | boolean>(false)
  const list = links.data?.data
  const open = (list ?? []).filter(({ status }) => status !== 'revoked')
  const filtered = urlState.search !== '' || urlState.status !== ''
  const none = list?.length === 0 && !filtered && urlState.cursor === ''
  const save = async () => {
    setSaving(true)
    setSaving(await saveLinks(query).then(() => false, (error: Error) => error)) // oxfmt-ignore
  }
  return (
    <Page
      title={t('Links')}
      subtitle={t('Download links for buyers')}
      fullWidth
      secondaryActions={[
        ...(none
          ? []
          : [
              {
                content: t('Export as CSV'),
                loading: saving === true,
                onAction: () => void save(),
              },
            ]),
        { content: t('Report …'), onAction: () => setReporting(true) },
        ...(open.length > 0
          ? [
              {
                content: t('Revoke links on this page …'),
                destructive: true,
                onAction: () => setRevoking(true),
              },
            ]
          : []),
      ]}
    >
      <BlockStack gap="400">
        {saving instanceof Error && (
          <Problem error={saving} what={t('The links could not be saved')} />
        )}
        <LoadProblem query={links} what={t('The links could not be loaded')} />
        {none ? <NoLinks /> : <LinkList links={links} state={state} />}
      </BlockStack>
      {reporting && (
        <ReportDialog reports={['downloads', 'refusals']} onClose={() => setReporting(false)} />
      )}
      {revoking && <RevokeShown links={open} onClose={() => setRevoking(false)} />}
    </Page>
  )
}

const NoLinks = () => (
  <Card>
    <Nothing
      why="new"
      heading={t('No links yet')}
      action={{ content: t('Go to files'), url: '/files' }}
    >
      {t(
        'Select files, then choose Create download links. Each link gives one buyer access until it expires or reaches its download limit.',
      )}
    </Nothing>
  </Card>
)

interface ListProps {
  links: ReturnType<typeof useLinkPage>
  state: ReturnType<typeof useLinksState>
}

function LinkList({ links, state: { urlState, go, pages } }: ListProps) {
  const list = links.data?.data
  return (
    <Card padding="0">
      <ListViews
        list="links"
        path="/links"
        all={t('All links')}
        urlState={urlState}
        go={go}
        state={LINKS_STATE}
      />
      <SearchAndStatus
        label={t('Search links')}
        placeholder={t('Search by file or customer')}
        value={urlState}
        statuses={LINK_STATUSES.map((value) => ({ value, label: linkStatus(value).text }))}
        go={go}
      />
      {links.isPending && <LoadingRows rows={6} what={t('links')} />}
      {list?.length === 0 && (
        <Nothing
          why="unmatched"
          heading={t('No link matches')}
          action={{ content: t('Show all'), onAction: () => go({ search: '', status: '' }) }}
        />
      )}
      {list && list.length > 0 && <LinksTable links={list} named />}
      {list && list.length > 0 && (
        <ListPages
          what={t('links')}
          all={t('{count, plural, one {# link} other {# links}}', { count: list.length })}
          page={urlState.page}
          next={links.data?.next_cursor ?? null}
          pages={pages}
          stale={links.isPlaceholderData}
        />
      )}
    </Card>
  )
}

function RevokeShown({ links, onClose }: { links: readonly DownloadLink[]; onClose: () => void }) {
  const revoke = useRevokeLinks()
  const [ids] = useState(() => links.map(({ id }) => id))
  return (
    <Question
      title={t('Revoke {count, plural, one {# link} other {# links}}?', { count: ids.length })}
      onClose={onClose}
      action={{
        content: t('Revoke'),
        destructive: true,
        loading: revoke.isPending,
        onAction: () =>
          revoke.mutate(ids, {
            onSuccess: () => {
              toast(
                t('{count, plural, one {# link was} other {# links were}} revoked', {
                  count: ids.length,
                }),
              )
              onClose()
            },
          }),
      }}
      back={t('Cancel')}
      error={revoke.error}
      problem={t('The links could not be revoked')}
    >
      <Text as="p">
        {t(
          'All links on this page of the list stop working immediately. A revoked link can’t be restored: create another one.',
        )}
      </Text>
    </Question>
  )
}
