// The page with the button that begins a counted view, for addresses that were opened without it.
import type { KnownLink } from '../counting/known-link.ts'
import { renderConfirm, sendPage } from '../pages.ts'
import { linkViewButton, shownShop, translatorForLink } from '../refusal.ts'
import type { Visit } from '../response.ts'
import type { LinkTarget } from '../targets.ts'
import { VIEW_SECONDS } from '../viewers.ts'

const HOURS = VIEW_SECONDS / 3600

export function sendStart(
  { request, response }: Visit,
  link: KnownLink & { target: LinkTarget },
  key: string,
): void {
  const t = translatorForLink(request, link)
  const { target, view_limit: limit, views } = link
  const page = renderConfirm(
    { t, shop: shownShop(link) },
    {
      title: target.filename,
      name: '',
      action: '',
      viewOnly: true,
      view: linkViewButton(request, t, link, key),
      viewsLeft: t('views.start', { count: Math.max(0, (limit ?? 0) - views), hours: HOURS }),
    },
  )
  sendPage(request, response, 200, page)
}
