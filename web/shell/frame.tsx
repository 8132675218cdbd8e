// The page's frame: our own in demo mode, or the storefront's menu inside its admin.
import { createElement, type ReactNode, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { navigate, usePathname } from 'wouter/use-browser-location'
import { hasAdminFrame } from './client/bridge.ts'
import { useActivity, useSession } from './client/queries.ts'
import {
  useFeatures,
  type NavigationEntry,
  type NavigationGroup,
  type PageFeature,
} from './feature.ts'
import { useUploading } from './url-state/uploading.ts'
import logo from './ui/logo.svg'
import {
  Frame,
  Icon,
  Navigation,
  NotificationIcon,
  PortalsInMain,
  SearchIcon,
  Text,
  TopBar,
} from './ui/index.ts'
import { t } from './messages/t.ts'
import { COMMAND_KEY, PALETTE_KEY } from './palette/command-key.ts'
import { useOpenPalette } from './palette/keys.tsx'

export function Surroundings({ children }: { children: ReactNode }) {
  return hasAdminFrame() ? (
    <StorefrontFrame>{children}</StorefrontFrame>
  ) : (
    <OwnFrame>{children}</OwnFrame>
  )
}

const useNavigation = () => navigationOf(useFeatures())

/** A badge has room for three digits; the server counts little further. */
const shownCount = (count: number): string => (count > 999 ? '999+' : String(count))

function OwnFrame({ children }: { children: ReactNode }) {
  const path = usePathname()
  const [openAt, setOpenAt] = useState<string | null>(null)
  const { unread, reviews } = useActivity()
  const badges = { unread, reviews, uploading: useUploading() }
  const sections = useNavigation()
  const urls = sections.flatMap(({ entries }) => entries.map(({ url }) => url))
  // Navigating closes the menu.
  const open = openAt === path
  return (
    <Frame
      logo={{ width: 132, topBarSource: logo, url: '/', accessibilityLabel: 'Stevedore' }}
      topBar={
        // Polaris draws the bar outside of all landmarks.
        <header>
          <TopBar
            showNavigationToggle
            onNavigationToggle={() => setOpenAt(open ? null : path)}
            secondaryMenu={<Bell unread={unread} />}
            searchField={<PaletteOpener />}
            userMenu={<ShopName />}
          />
        </header>
      }
      navigation={
        <Navigation location={path}>
          {sections.map(({ title, entries }) => (
            <Navigation.Section
              key={entries[0]!.url}
              title={title}
              items={entries.map(({ badge, group: _, isLast: _isLast, ...place }) => ({
                ...place,
                // Every address begins with it.
                exactMatch: place.url === '/',
                excludePaths: urls.filter((url) => url !== place.url && url.startsWith(place.url)),
                badge: badge && badges[badge] ? shownCount(badges[badge]) : undefined,
              }))}
            />
          ))}
        </Navigation>
      }
      showMobileNavigation={open}
      onNavigationDismiss={() => setOpenAt(null)}
    >
      <PortalsInMain>{children}</PortalsInMain>
    </Frame>
  )
}

function Bell({ unread }: { unread: number }) {
  return (
    <Link
      href="/notices"
      className="bell"
      aria-label={unread > 0 ? t('Notices: {unread, number} unread', { unread }) : t('Notices')}
    >
      <Icon source={NotificationIcon} tone="inherit" />
      {unread > 0 && (
        <span className="bell-count" aria-hidden="true">
          {unread > 99 ? '99+' : unread}
        </span>
      )}
    </Link>
  )
}

function PaletteOpener() {
  const open = useOpenPalette()
  return (
    <button
      type="button"
      className="palette-opener"
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K Meta+K"
      onClick={open}
    >
      <Icon source={SearchIcon} tone="inherit" />
      <span>{t('Find pages, files, orders and actions')}</span>
      <kbd>{`${COMMAND_KEY} ${PALETTE_KEY}`}</kbd>
    </button>
  )
}

function ShopName() {
  const { data } = useSession()
  return (
    <div className="shop">
      <Text as="span" variant="bodyMd" fontWeight="medium" truncate>
        {data?.shop.name ?? ''}
      </Text>
    </div>
  )
}

function StorefrontFrame({ children }: { children: ReactNode }) {
  const places = useNavigation().flatMap(({ entries }) => entries)
  useEffect(() => {
    // The storefront's menu sends an event instead of loading the page again.
    const go = (event: Event) => {
      const href = (event.target as Element | null)?.getAttribute('href')
      if (href) navigate(href)
    }
    document.addEventListener('shopify:navigate', go)
    return () => document.removeEventListener('shopify:navigate', go)
  }, [])
  return (
    <>
      {createElement(
        's-app-nav',
        null,
        createElement('s-link', { href: '/', rel: 'home' }, 'Stevedore'),
        // The first entry is the app's own name.
        ...places
          .filter(({ url }) => url !== '/')
          .map(({ url, label }) => createElement('s-link', { key: url, href: url }, label)),
      )}
      <main>
        <PortalsInMain>{children}</PortalsInMain>
      </main>
    </>
  )
}

// The navigation, from the entries of the features.

const GROUPS: Readonly<Record<NavigationGroup, string>> = {
  files: t('Files', {}, 'group'),
  import: t('Import', {}, 'group'),
  sales: t('Sales'),
  automation: t('Automation'),
  activity: t('Activity'),
}

export interface NavigationSection {
  title: string | undefined
  entries: NavigationEntry[]
}

/** Neighbours of one group are one section. */
function navigationOf(features: readonly PageFeature[]): NavigationSection[] {
  const sections: NavigationSection[] = []
  for (const entry of features.flatMap(({ navigation = [] }) => navigation)) {
    const title = entry.group && GROUPS[entry.group]
    const section = sections.at(-1)
    if (section && section.title === title) section.entries.push(entry)
    else sections.push({ title, entries: [entry] })
  }
  return sections.map(({ title, entries }) => ({
    title,
    entries: entries.toSorted((a, b) => Number(a.isLast ?? false) - Number(b.isLast ?? false)),
  }))
}
