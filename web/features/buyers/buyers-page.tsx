// Everyone who bought files or was sent a link, found by email address.
import { useBuyers } from './calls.ts'
import { BuyersTable } from './buyers-table.tsx'
import { BUYERS_STATE } from './url-state.ts'
import { ListPages } from '../../shell/components/list-pages.tsx'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Page } from '../../shell/components/page.tsx'
import { PageSearch } from '../../shell/components/page-search.tsx'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Box, Card, TextField } from '../../shell/ui/index.ts'
import { useDraft } from '../../shell/url-state/use-draft.ts'
import { useUrlState } from '../../shell/url-state/use-url-state.ts'

const SHOWN = 50

export function BuyersPage() {
  const { urlState, go, pages } = useUrlState(BUYERS_STATE)
  const { search, cursor, page } = urlState
  const buyers = useBuyers({ search, cursor, limit: SHOWN })
  const list = buyers.data?.data
  const none = list?.length === 0
  return (
    <Page title={t('Buyers')} subtitle={t('Who has your files, by email address')} fullWidth>
      <BlockStack gap="400">
        <LoadProblem query={buyers} what={t('The buyers could not be loaded')} />
        {none && search === '' && cursor === '' ? (
          <Card>
            <Nothing
              why="new"
              heading={t('No buyers yet')}
              action={{ content: t('Go to files'), url: '/files' }}
            >
              {t(
                'Buyers are listed once an order with files is paid, or a link is made for an email address.',
              )}
            </Nothing>
          </Card>
        ) : (
          <Card padding="0">
            <Search value={search} onSearch={(text) => go({ search: text }, { replace: true })} />
            {buyers.isPending && <LoadingRows rows={6} what={t('buyers')} />}
            {none && (
              <Nothing
                why="unmatched"
                heading={t('No address begins with this')}
                action={{ content: t('Show all'), onAction: () => go({ search: '' }) }}
              />
            )}
            {list && list.length > 0 && (
              <>
                <BuyersTable buyers={list} />
                <ListPages
                  what={t('buyers')}
                  all={t('{count, plural, one {# buyer} other {# buyers}}', { count: list.length })}
                  page={page}
                  next={buyers.data?.next_cursor ?? null}
                  pages={pages}
                  stale={buyers.isPlaceholderData}
                />
              </>
            )}
          </Card>
        )}
      </BlockStack>
    </Page>
  )
}

function Search({ value, onSearch }: { value: string; onSearch: (text: string) => void }) {
  const typed = useDraft(value, (text) => onSearch(text.trim()))
  return (
    <Box padding="300">
      <PageSearch>
        <TextField
          label={t('Search buyers')}
          labelHidden
          placeholder={t('Beginning of the email address')}
          clearButton
          maxLength={320}
          value={typed.text}
          onChange={typed.change}
          onClearButtonClick={typed.clear}
        />
      </PageSearch>
    </Box>
  )
}
