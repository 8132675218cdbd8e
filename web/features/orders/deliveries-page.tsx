// All deliveries: found by order or buyer, with the state of each.
import { useState } from 'react'
import { ListPages } from '../../shell/components/list-pages.tsx'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { SearchAndStatus } from '../../shell/components/search-and-status.tsx'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Card, Box, Button, InlineStack, Tag } from '../../shell/ui/index.ts'
import { type UrlState, useUrlState } from '../../shell/url-state/use-url-state.ts'
import { ListViews } from '../../shell/views/list-views.tsx'
import { useRead } from '../../shell/client/reads.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { problemsOf } from '../../shell/components/problems.ts'
import type { Choice } from '../mapping/calls.ts'
import { ProductPicker } from '../mapping/product-picker.tsx'
import { FilePicker } from '../plugins/option-form/widgets/file-picker.tsx'
import { ReportDialog } from '../reports/report-dialog.tsx'
import { useDeliveries } from './calls.ts'
import { FindOrderDialog } from './find-order-dialog.tsx'
import { DELIVERY_LISTING_TEXTS } from './labels.ts'
import { DELIVERY_LISTINGS, DELIVERIES_STATE, DELIVERY_QUERY, listingQuery } from './url-state.ts'
import { DeliveriesTable } from './deliveries-table.tsx'
import { UnblockDialog, UnblockedBanner, type UnblockResult } from './unblock-dialog.tsx'

const SHOWN = 50

export function DeliveriesPage() {
  const url = useUrlState(DELIVERIES_STATE)
  const { search, status, file, product, cursor } = url.urlState
  const deliveries = useDeliveries({
    search,
    cursor,
    limit: SHOWN,
    ...listingQuery(status),
    file_id: file,
    product,
  })
  const filtered = [search, status, file, product].some((value) => value !== '')
  const [unblocking, setUnblocking] = useState<string | null>(null)
  const [unblocked, setUnblocked] = useState<UnblockResult | null>(null)
  const [adding, setAdding] = useState(false)
  const [reporting, setReporting] = useState(false)
  const none = deliveries.data?.data.length === 0
  return (
    <Page
      title={t('Deliveries')}
      subtitle={t('What your buyers received for their orders')}
      secondaryActions={[
        { content: t('Add files to an order …'), onAction: () => setAdding(true) },
        { content: t('Report …'), onAction: () => setReporting(true) },
        { content: t('Import past orders'), url: '/deliveries/import' },
      ]}
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
          <FirstDelivery />
        ) : (
          <DeliveryList {...url} deliveries={deliveries} onUnblock={setUnblocking} />
        )}
      </BlockStack>
      {unblocking && (
        <UnblockDialog id={unblocking} onClose={() => setUnblocking(null)} onDone={setUnblocked} />
      )}
      {reporting && (
        <DeliveriesReport urlState={url.urlState} onClose={() => setReporting(false)} />
      )}
      {adding && <FindOrderDialog onClose={() => setAdding(false)} />}
    </Page>
  )
}

interface ReportProps {
  urlState: ReturnType<typeof DELIVERIES_STATE.read>
  onClose: () => void
}

const DeliveriesReport = ({
  urlState: { search, status, file, product },
  onClose,
}: ReportProps) => (
  <ReportDialog
    reports={['deliveries', 'downloads', 'refusals']}
    filters={{
      deliveries: { search, ...listingQuery(status), file_id: file, product },
      downloads: { file_id: file, product },
      refusals: { file_id: file, product },
    }}
    onClose={onClose}
  />
)

const FirstDelivery = () => (
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
)

interface ListProps extends UrlState<ReturnType<typeof DELIVERIES_STATE.read>> {
  deliveries: ReturnType<typeof useDeliveries>
  onUnblock: (id: string) => void
}

function DeliveryList({ urlState, go, pages, deliveries, onUnblock }: ListProps) {
  const list = deliveries.data?.data
  return (
    <Card padding="0">
      <ListViews
        list="deliveries"
        path="/deliveries"
        all={t('All deliveries')}
        urlState={urlState}
        go={go}
        state={DELIVERIES_STATE}
        api={DELIVERY_QUERY}
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
      {list?.length === 0 && (
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
          <DeliveriesTable deliveries={list} onUnblock={onUnblock} />
          <ListPages
            what={t('deliveries')}
            all={t('{count, plural, one {# delivery} other {# deliveries}}', {
              count: list.length,
            })}
            page={urlState.page}
            next={deliveries.data?.next_cursor ?? null}
            pages={pages}
            stale={deliveries.isPlaceholderData}
          />
        </>
      )}
    </Card>
  )
}

// The file and the product to which the list of deliveries is limited.

type State = ReturnType<typeof DELIVERIES_STATE.read>

interface Props {
  urlState: Pick<State, 'file' | 'product' | 'about'>
  go: UrlState<State>['go']
}

function DeliveryFilters({ urlState: { file, product, about }, go }: Props) {
  const [choosing, setChoosing] = useState<'file' | 'product' | null>(null)
  const close = () => setChoosing(null)
  const named = useRead('GET /api/files/{id}', { path: { id: file || null } }).data
  return (
    <Box padding="300" paddingBlockStart="0">
      <InlineStack gap="200" blockAlign="center">
        {file === '' ? (
          <Button size="slim" onClick={() => setChoosing('file')}>
            {t('With one file …')}
          </Button>
        ) : (
          <Tag onRemove={() => go({ file: '' })}>
            {t('File: {name}', { name: named?.filename ?? file })}
          </Tag>
        )}
        {product === '' ? (
          <Button size="slim" onClick={() => setChoosing('product')}>
            {t('With one product …')}
          </Button>
        ) : (
          <Tag onRemove={() => go({ product: '', about: '' })}>
            {t('Product: {name}', { name: about || product })}
          </Tag>
        )}
      </InlineStack>
      {choosing === 'file' && (
        <FileFilter
          onClose={close}
          onChoose={(chosen) => {
            close()
            go({ file: chosen })
          }}
        />
      )}
      {choosing === 'product' && (
        <ProductFilter
          onClose={close}
          onChoose={({ product_id, title }) => {
            close()
            go({ product: product_id, about: title })
          }}
        />
      )}
    </Box>
  )
}

// Limits the list of deliveries to those with one file, or of orders with one product.

interface FileProps {
  onClose: () => void
  onChoose: (file: string) => void
}

function FileFilter({ onClose, onChoose }: FileProps) {
  const [file, setFile] = useState<string | null>(null)
  return (
    <Dialog
      title={t('Deliveries of one file')}
      onClose={onClose}
      why={file === null ? t('Choose a file first.') : null}
      primaryAction={{ content: t('Show'), onAction: () => file && onChoose(file) }}
    >
      <FilePicker
        required
        brief={false}
        name="file"
        path="file"
        schema={{ title: t('File') }}
        value={file}
        problems={problemsOf([])}
        onChange={(chosen) => setFile(chosen as string)}
      />
    </Dialog>
  )
}

interface ProductProps {
  onClose: () => void
  onChoose: (product: { product_id: string; title: string }) => void
}

function ProductFilter({ onClose, onChoose }: ProductProps) {
  const [choice, setChoice] = useState<(Choice & { title: string }) | null>(null)
  return (
    <Dialog
      title={t('Deliveries of one product')}
      onClose={onClose}
      why={choice === null ? t('Choose a product first.') : null}
      primaryAction={{ content: t('Show'), onAction: () => choice && onChoose(choice) }}
    >
      <ProductPicker whole choice={choice} onChoose={setChoice} />
    </Dialog>
  )
}
