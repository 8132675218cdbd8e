// The admin page: the frame with the pages of all features.
import { QueryClientProvider } from '@tanstack/react-query'
import {
  type ComponentType,
  type ReactNode,
  Suspense,
  useDeferredValue,
  useEffect,
  useRef,
} from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { usePathname } from 'wouter/use-browser-location'
import { FEATURES } from './features.ts'
import { wakeOnTouch } from './shell/client/polling.ts'
import { createQueryClient } from './shell/client/queries.ts'
import { Conflicts } from './shell/components/conflicts.tsx'
import { ErrorBoundary } from './shell/components/error-boundary.tsx'
import { Surroundings } from './shell/frame.tsx'
import { LoadingRows } from './shell/components/lists.tsx'
import { FeaturesProvider, loadPage, nameRoutes, type PageRoute } from './shell/feature.ts'
import { LostPage } from './shell/lost-page.tsx'
import { t } from './shell/messages/t.ts'
import { Keys } from './shell/palette/keys.tsx'
import { Card, Page, UiProvider } from './shell/ui/index.ts'

const client = createQueryClient()
wakeOnTouch(client, window)
const ROUTES = FEATURES.flatMap(({ routes }) => routes)
nameRoutes(ROUTES)

/** Loads the page at a path, so that its first rendering is the page itself. */
export async function loadPageAt(path: string): Promise<void> {
  const route = ROUTES.find((one) =>
    new RegExp(`^${one.path.replaceAll(/:\w+/g, '[^/]+')}/?$`).test(path),
  )
  if (route && 'page' in route) await loadPage(route.page)
}

export function App() {
  return (
    <UiProvider>
      <QueryClientProvider client={client}>
        <FeaturesProvider value={FEATURES}>
          <Keys>
            <Surroundings>
              <Arrival>
                <Conflicts>
                  <Switch>
                    {ROUTES.map(routeOf)}
                    <Route component={LostPage} />
                  </Switch>
                </Conflicts>
              </Arrival>
            </Surroundings>
            {FEATURES.map(
              ({ name, everywhere: Everywhere }) => Everywhere && <Everywhere key={name} />,
            )}
          </Keys>
        </FeaturesProvider>
      </QueryClientProvider>
    </UiProvider>
  )
}

function routeOf(route: PageRoute) {
  const { path } = route
  if ('to' in route)
    return (
      <Route key={path} path={path}>
        {({ id = '' }: { id?: string }) => (
          <Redirect replace to={route.to.replace(':id', id) + window.location.search} />
        )}
      </Route>
    )
  const Shown = route.page as ComponentType<{ id?: string }>
  return (
    <Route key={path} path={path}>
      {({ id }: { id?: string }) => (id === undefined ? <Shown /> : <Shown key={id} id={id} />)}
    </Route>
  )
}

let wentBack = false
window.addEventListener('popstate', () => {
  wentBack = true
})

/**
 * A new page starts at its top, for the keyboard too; on the way back the browser restores the
 * scroll position. It is rendered in pieces behind its skeleton: a click on a link to a long list is
 * answered immediately.
 */
function Arrival({ children }: { children: ReactNode }) {
  const path = usePathname()
  const entered = useDeferredValue(path)
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
        {entered === path ? <Suspense fallback={<Entering />}>{children}</Suspense> : <Entering />}
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
