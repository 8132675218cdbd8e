// All deliveries: found by order or buyer, with the state of each.
import { useState } from 'react'
import { useDeliveries } from './calls.ts'
import { ListPages } from '../../shell/components/list-pages.tsx'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { SearchAndStatus } from '../../shell/components/search-and-status.tsx'
import { DELIVERY_LISTING_TEXTS } from './labels.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Card } from '../../shell/ui/index.ts'
import { DELIVERY_LISTINGS, DELIVERIES_STATE, DELIVERY_QUERY, listingQuery } from './url-state.ts'
import { useUrlState } from '../../shell/url-state/use-url-state.ts'
import { ListViews } from '../../shell/views/list-views.tsx'
import { DeliveriesTable } from './deliveries-table.tsx'
import { DeliveryFilters } from './delivery-filters.tsx'
import { UnblockDialog, UnblockedBanner, type Unblocked } from './unblock-dialog.tsx'

const SHOWN = 50

export function DeliveriesPage() {
  const { urlState, go, pages } = useUrlState(DELIVERIES_STATE)
  const { search, status, file, product, cursor, page } = urlState
  const deliveries = useDeliveries({
    ...{ search, cursor, limit: SHOWN },
    ...{ ...listingQuery(status), file_id: file, product },
  })
  const list = deliveries.data?.data
  const filtered = [search, status, file, product].some((value) => value !== '')
  const [unblocking, setUnblocking] = useState<string | null>(null)
  const [unblocked, setUnblocked] = useState<Unblocked | null>(null)
  const none = list?.length === 0
  return (
    <Page
      title={t('Deliveries')}
      subtitle={t('What your buyers received for their orders')}
      secondaryActions={[{ content: t('Import past orders'), url: '/deliveries/import' }]}
      fullWidth
    >
      <BlockStack gap="400">
        {unblocked && (
          <UnblockedBanner
            key={unblocked.id}
            unblocked={unblocked}
            onClose={() => setUnblocked(null)}
          />
        )}
        <LoadProblem query={deliveries} what={t('The deliveries could not be loaded')} />
        {none && !filtered && cursor === '' ? (
          <Card>
            <Nothing
              why="new"
              heading={t('No deliveries yet')}
              action={{ content: t('Go to files'), url: '/files' }}
            >
              {t(
                'Map files to products. When an order with one of them is paid, its buyer gets a page with the files, and it is listed here.',
              )}
            </Nothing>
          </Card>
        ) : (
          <Card padding="0">
            <ListViews
              {...{ list: 'deliveries', path: '/deliveries', all: t('All deliveries') }}
              {...{ urlState, go, state: DELIVERIES_STATE, api: DELIVERY_QUERY }}
            />
            <SearchAndStatus
              label={t('Search deliveries')}
              placeholder={t('Order, like #1001, or email of the buyer')}
              value={urlState}
              statuses={DELIVERY_LISTINGS.map((value) => ({
                value,
                label: DELIVERY_LISTING_TEXTS[value],
              }))}
              go={go}
            />
            <DeliveryFilters urlState={urlState} go={go} />
            {deliveries.isPending && <LoadingRows rows={6} what={t('deliveries')} />}
            {none && (
              <Nothing
                why="unmatched"
                heading={t('No delivery matches')}
                action={{
                  content: t('Show all'),
                  onAction: () => go({ search: '', status: '', file: '', product: '', about: '' }),
                }}
              />
            )}
            {list && list.length > 0 && (
              <>
                <DeliveriesTable deliveries={list} onUnblock={setUnblocking} />
                <ListPages
                  what={t('deliveries')}
                  all={t('{count, plural, one {# delivery} other {# deliveries}}', {
                    count: list.length,
                  })}
                  page={page}
                  next={deliveries.data?.next_cursor ?? null}
                  pages={pages}
                  stale={deliveries.isPlaceholderData}
                />
              </>
            )}
          </Card>
        )}
      </BlockStack>
      {unblocking && (
        <UnblockDialog id={unblocking} onClose={() => setUnblocking(null)} onDone={setUnblocked} />
      )}
    </Page>
  )
}
