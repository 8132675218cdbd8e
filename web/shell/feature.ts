// A feature of the page: what its folder adds. web/features.ts lists them all; routes, the
// navigation and the settings' cards are taken from that list.
import {
  type ComponentProps,
  type ComponentType,
  createContext,
  createElement,
  lazy,
  useContext,
  useMemo,
  useState,
} from 'react'
import { loadPageTexts } from './messages/load-texts.ts'
import { type Icon } from './ui/index.ts'

/** A page; it gets the parameter `id` of its path, if that has one. */
export type PageComponent = ComponentType<{ id: string }> | ComponentType<object>

export type PageRoute =
  | {
      /** The path, with `:id` for a parameter. A page with another id is a new page. */
      path: string
      page: PageComponent
    }
  /** An old address. `to` may contain the same parameter. */
  | { path: string; to: string }

export type NavigationGroup = 'files' | 'import' | 'sales' | 'automation' | 'activity'

export interface NavigationEntry {
  /** The heading in the navigation; absent: none. */
  group?: NavigationGroup
  url: string
  label: string
  icon: NonNullable<ComponentProps<typeof Icon>['source']>
  /** Whether it comes after the others of its group. */
  isLast?: true
  /** A number beside it. */
  badge?: 'unread' | 'reviews' | 'uploading'
}

/** A way from the settings to a page that belongs to them. */
export interface SettingsEntry {
  section: 'automation' | 'advanced'
  url: string
  title: string
  about: string
}

/** An entry of the palette: a page, an action, or a record. */
export interface FoundEntry {
  label: string
  /** What tells it apart from others with the same name. */
  detail?: string
  /** Searched too, and not shown. */
  about?: string
  /** The text is its whole name or number: it comes before everything else. */
  isExact?: boolean
  url: string
}

/** The records that match a text, best first. Throws `ApiError`. */
export type FindRecords = (
  text: string,
  limit: number,
  signal: AbortSignal,
) => Promise<readonly FoundEntry[]>

/** What the page says about the operations of one channel, beyond the words of the server. */
export interface PageChannel {
  /** The id of the channel. */
  id: string
  /** The label of an operation in the page's language; absent: as the server named it. */
  labelText?: (label: string) => string
  /** What an undo leaves as it is. */
  undoNote?: string
}

export interface PageFeature {
  /** The name of its folder; the same as on the server. */
  name: string
  channel?: PageChannel
  routes: readonly PageRoute[]
  navigation?: readonly NavigationEntry[]
  settings?: readonly SettingsEntry[]
  /** Rendered beside every page. */
  everywhere?: ComponentType
  /** What the palette offers beside pages: `Upload files`. */
  commands?: readonly FoundEntry[]
  /** The records of the feature in the palette. */
  records?: { title: string; load: () => Promise<FindRecords> }
}

/** A page that is loaded when it is opened, or before by `loadPage`. */
export function lazyPage<Name extends string>(
  load: () => Promise<Record<Name, PageComponent>>,
  name: Name,
): PageComponent {
  type AnyPage = ComponentType<object>
  let loaded: AnyPage | undefined
  const loading = async () => {
    await loadPageTexts(paths.get(LazyPage))
    return (loaded = (await load())[name] as AnyPage)
  }
  const Later = lazy(async () => ({ default: await loading() }))
  function LazyPage(props: object) {
    // A loaded page is rendered without the placeholder, which would move the content.
    const [Shown] = useState<AnyPage>(() => loaded ?? Later)
    return createElement(Shown, props)
  }
  loaders.set(LazyPage, loading)
  return LazyPage
}

const loaders = new Map<PageComponent, () => Promise<unknown>>()
const paths = new Map<PageComponent, string>()

/** A page's texts in another language are found by its route. */
export function nameRoutes(routes: readonly PageRoute[]): void {
  for (const route of routes) if ('page' in route) paths.set(route.page, route.path)
}

/** Resolves when the page can be rendered without a placeholder; rejects if it cannot be loaded. */
export const loadPage = async (page: PageComponent): Promise<void> =>
  void (await loaders.get(page)?.())

const Features = createContext<readonly PageFeature[]>([])
export const FeaturesProvider = Features.Provider
export const useFeatures = (): readonly PageFeature[] => useContext(Features)

/** The texts of the features that are channels. */
export function usePageChannels(): readonly PageChannel[] {
  const features = useFeatures()
  return useMemo(() => features.flatMap(({ channel }) => channel ?? []), [features])
}
