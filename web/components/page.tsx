// One page: its title in the tab, its frame, and in the storefront's admin a link to unread
// notices.
import { type ReactNode, useEffect } from 'react'
import { hasAdminFrame } from '../client/bridge.ts'
import { useActivity } from '../client/queries.ts'
import { type MenuActionDescriptor, Page as UiPage, type PageProps } from '../ui/index.ts'
import { t } from '../messages/t.ts'

interface Props extends Omit<PageProps, 'secondaryActions'> {
  title: string
  /** The title of the browser's tab, if it differs from the page's. */
  tab?: string
  secondaryActions?: MenuActionDescriptor[]
  children: ReactNode
}

export function Page({ tab, title, secondaryActions = [], children, ...rest }: Props) {
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
      {children}
      <div style={{ blockSize: 'var(--p-space-800)' }} />
    </UiPage>
  )
}
