// The admin page's routes.
import { QueryClientProvider } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useRef } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { usePathname } from 'wouter/use-browser-location'
import { createQueryClient } from './shell/client/queries.ts'
import { Conflicts } from './shell/components/conflict-dialog.tsx'
import { LoadingRows } from './shell/components/lists.tsx'
import { ErrorBoundary } from './shell/components/error-boundary.tsx'
import { Surroundings } from './shell/components/frame.tsx'
import { FilePage } from './features/files/file-page.tsx'
import { FilesPage } from './features/files/files-page.tsx'
import { LostPage } from './shell/lost-page.tsx'
import { NoticesPage } from './features/notices/notices-page.tsx'
import { OperationPage } from './features/operations/operation-page.tsx'
import { OperationsPage } from './features/operations/operations-page.tsx'
import { MailPage } from './features/settings/mail-page.tsx'
import { SettingsPage } from './features/settings/settings-page.tsx'
import { Card, Page, UiProvider } from './shell/ui/index.ts'
import { t } from './shell/messages/t.ts'

const client = createQueryClient()

// Pages that are opened rarely are loaded when they are opened.
const WorkflowsPage = lazy(async () => ({
  default: (await import('./features/workflows/workflows-page.tsx')).WorkflowsPage,
}))
const WorkflowPage = lazy(async () => ({
  default: (await import('./features/workflows/workflow-page.tsx')).WorkflowPage,
}))
const SchedulesPage = lazy(async () => ({
  default: (await import('./features/schedules/schedules-page.tsx')).SchedulesPage,
}))
const ImportPage = lazy(async () => ({
  default: (await import('./features/imports/import-page.tsx')).ImportPage,
}))
const UploadPage = lazy(async () => ({
  default: (await import('./features/upload/upload-page.tsx')).UploadPage,
}))
const CsvStartPage = lazy(async () => ({
  default: (await import('./features/csv/csv-start-page.tsx')).CsvStartPage,
}))
const CsvPage = lazy(async () => ({
  default: (await import('./features/csv/csv-page.tsx')).CsvPage,
}))
const ReviewsPage = lazy(async () => ({
  default: (await import('./features/mapping/reviews/reviews-page.tsx')).ReviewsPage,
}))
const PacksPage = lazy(async () => ({
  default: (await import('./features/packs/packs-page.tsx')).PacksPage,
}))
const PackPage = lazy(async () => ({
  default: (await import('./features/packs/pack-page.tsx')).PackPage,
}))
const LinksPage = lazy(async () => ({
  default: (await import('./features/links/links-page.tsx')).LinksPage,
}))
const ApiKeysPage = lazy(async () => ({
  default: (await import('./features/settings/api-keys/api-keys-page.tsx')).ApiKeysPage,
}))
const DropPage = lazy(async () => ({
  default: (await import('./features/drop/drop-page.tsx')).DropPage,
}))
const WebhooksPage = lazy(async () => ({
  default: (await import('./features/webhooks/webhooks-page.tsx')).WebhooksPage,
}))
const WebhookPage = lazy(async () => ({
  default: (await import('./features/webhooks/webhook-page.tsx')).WebhookPage,
}))
const BuyerPagePage = lazy(async () => ({
  default: (await import('./features/buyer-page/buyer-page-page.tsx')).BuyerPagePage,
}))
const ConnectionsPage = lazy(async () => ({
  default: (await import('./features/cloud/connections-page.tsx')).ConnectionsPage,
}))
const NewConnectionPage = lazy(async () => ({
  default: (await import('./features/cloud/new-connection-page.tsx')).NewConnectionPage,
}))
const ConnectionPage = lazy(async () => ({
  default: (await import('./features/cloud/connection-page.tsx')).ConnectionPage,
}))
const DeliveriesPage = lazy(async () => ({
  default: (await import('./features/orders/deliveries-page.tsx')).DeliveriesPage,
}))
const DeliverySettingsPage = lazy(async () => ({
  default: (await import('./features/orders/settings/delivery-settings-page.tsx'))
    .DeliverySettingsPage,
}))
const PlanPage = lazy(async () => ({
  default: (await import('./features/settings/plan/plan-page.tsx')).PlanPage,
}))
const LicencesPage = lazy(async () => ({
  default: (await import('./features/preparation/licences-page.tsx')).LicencesPage,
}))
const CustomerDataPage = lazy(async () => ({
  default: (await import('./features/compliance/customer-data-page.tsx')).CustomerDataPage,
}))
const DeliveryPage = lazy(async () => ({
  default: (await import('./features/orders/delivery-page.tsx')).DeliveryPage,
}))
const SchedulePage = lazy(async () => ({
  default: (await import('./features/schedules/schedule-page.tsx')).SchedulePage,
}))

export function App() {
  return (
    <UiProvider>
      <QueryClientProvider client={client}>
        <Surroundings>
          <Arrival>
            <Conflicts>
              <Switch>
                <Route path="/">
                  <Redirect replace to={`/files${window.location.search}`} />
                </Route>
                <Route path="/files" component={FilesPage} />
                <Route path="/files/:id">{({ id }) => <FilePage key={id} id={id} />}</Route>
                <Route path="/import" component={ImportPage} />
                <Route path="/import/upload" component={UploadPage} />
                <Route path="/import/csv" component={CsvStartPage} />
                <Route path="/import/csv/:id">{({ id }) => <CsvPage key={id} id={id} />}</Route>
                <Route path="/reviews" component={ReviewsPage} />
                <Route path="/packs" component={PacksPage} />
                <Route path="/packs/:id">{({ id }) => <PackPage key={id} id={id} />}</Route>
                <Route path="/links" component={LinksPage} />
                <Route path="/deliveries" component={DeliveriesPage} />
                <Route path="/deliveries/:id">
                  {({ id }) => <DeliveryPage key={id} id={id} />}
                </Route>
                <Route path="/operations" component={OperationsPage} />
                <Route path="/operations/:id">
                  {({ id }) => <OperationPage key={id} id={id} />}
                </Route>
                <Route path="/workflows" component={WorkflowsPage} />
                <Route path="/workflows/:id">{({ id }) => <WorkflowPage key={id} id={id} />}</Route>
                <Route path="/schedules" component={SchedulesPage} />
                <Route path="/schedules/:id">{({ id }) => <SchedulePage key={id} id={id} />}</Route>
                <Route path="/notices" component={NoticesPage} />
                <Route path="/settings" component={SettingsPage} />
                <Route path="/settings/mail" component={MailPage} />
                <Route path="/settings/api-keys" component={ApiKeysPage} />
                <Route path="/settings/drop" component={DropPage} />
                <Route path="/settings/deliveries" component={DeliverySettingsPage} />
                <Route path="/settings/plan" component={PlanPage} />
                <Route path="/settings/licences" component={LicencesPage} />
                <Route path="/settings/customer-data" component={CustomerDataPage} />
                <Route path="/settings/webhooks" component={WebhooksPage} />
                <Route path="/settings/webhooks/:id">
                  {({ id }) => <WebhookPage key={id} id={id} />}
                </Route>
                <Route path="/settings/buyer-page" component={BuyerPagePage} />
                <Route path="/settings/connections" component={ConnectionsPage} />
                <Route path="/settings/connections/new" component={NewConnectionPage} />
                <Route path="/settings/connections/:id">
                  {({ id }) => <ConnectionPage key={id} id={id} />}
                </Route>
                <Route component={LostPage} />
              </Switch>
            </Conflicts>
          </Arrival>
        </Surroundings>
      </QueryClientProvider>
    </UiProvider>
  )
}

let wentBack = false
window.addEventListener('popstate', () => {
  wentBack = true
})

/**
 * A new page starts at its top, for the keyboard too; on the way back the browser restores the
 * scroll position.
 */
function Arrival({ children }: { children: ReactNode }) {
  const path = usePathname()
  const place = useRef<HTMLDivElement>(null)
  const before = useRef(path)
  useEffect(() => {
    if (before.current === path) return
    before.current = path
    if (!wentBack) window.scrollTo({ top: 0 })
    wentBack = false
    place.current?.focus({ preventScroll: true })
  }, [path])
  return (
    <div className="place" ref={place} tabIndex={-1}>
      <ErrorBoundary key={path}>
        <Suspense fallback={<Entering />}>{children}</Suspense>
      </ErrorBoundary>
    </div>
  )
}

const Entering = () => (
  <Page title="">
    <Card padding="0">
      <LoadingRows rows={5} what={t('the page')} />
    </Card>
  </Page>
)
