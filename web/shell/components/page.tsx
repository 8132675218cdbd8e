// One page: its title in the tab, its frame, and in the storefront's admin a link to unread
// notices.
import { createContext, type ReactNode, useEffect, useState } from 'react'
import { hasAdminFrame } from '../client/bridge.ts'
import { useActivity } from '../client/queries.ts'
import { type MenuActionDescriptor, Page as UiPage, type PageProps } from '../ui/index.ts'
import { t } from '../messages/t.ts'
import './page.css'

/** The place of the save bar at the end of the page; null until the page is in the document. */
export const PageEnd = createContext<HTMLElement | null>(null)

interface Props extends Omit<PageProps, 'secondaryActions'> {
  title: string
  /** The title of the browser's tab, if it differs from the page's. */
  tab?: string
  secondaryActions?: MenuActionDescriptor[]
  children: ReactNode
}

export function Page({ tab, title, secondaryActions = [], children, ...rest }: Props) {
  const [end, setEnd] = useState<HTMLElement | null>(null)
  useEffect(() => {
    document.title = `${tab ?? title} · Stevedore`
  }, [tab, title])
  const { unread } = useActivity()
  // The storefront's own menu cannot show a count.
  const notices =
    !hasAdminFrame() || unread === 0
      ? []
      : [
          {
            content: t('{unread, plural, one {# unread notice} other {# unread notices}}', {
              unread,
            }),
            url: '/notices',
          },
        ]
  return (
    <UiPage title={title} secondaryActions={[...secondaryActions, ...notices]} {...rest}>
      <PageEnd.Provider value={end}>{children}</PageEnd.Provider>
      <div className="page-end" ref={setEnd} />
    </UiPage>
  )
}
