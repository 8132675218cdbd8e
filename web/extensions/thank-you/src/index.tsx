// On the thank-you page: polls the app for the order's downloads. The app may learn of the order
// some seconds later than this page is shown.
import '@shopify/ui-extensions/preact'
import type { Api } from '@shopify/ui-extensions/purchase.thank-you.block.render'
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { isAllLater, termTexts, type Terms } from '../../terms.ts'

declare const shopify: Api

/** `none`: no product of the order has files. */
type State =
  | { status: 'preparing' | 'held' | 'elsewhere' | 'none' }
  | { status: 'ready'; url: string; files: number; terms: Terms }

const FIRST_MS = 1500
const MAX_MS = 10_000
/** After this many polls the mail arrives sooner than another answer. */
const MAX_ASKS = 20
/** The number of lines that the app takes. */
const MAX_LINES = 250

export default function extension() {
  render(<ThankYou />, document.body)
}

function ThankYou() {
  const [state, setState] = useState<State>({ status: 'none' })
  useEffect(() => {
    const stopped = new AbortController()
    void follow(setState, stopped.signal)
    return () => stopped.abort()
  }, [])
  const { i18n } = shopify
  const now = new Date()
  if (state.status === 'none') return null
  if (state.status !== 'ready')
    return (
      <s-section heading={i18n.translate('heading')}>
        <s-text>{i18n.translate(state.status)}</s-text>
      </s-section>
    )
  return (
    <s-section heading={i18n.translate('heading')}>
      <s-stack gap="base">
        {!isAllLater(state.files, state.terms, now) && (
          <s-text>{i18n.translate('ready', { count: state.files })}</s-text>
        )}
        {termTexts(state, i18n, now).map((text) => (
          <s-text key={text}>{text}</s-text>
        ))}
        <s-button href={state.url} target="_blank" variant="primary">
          {i18n.translate('open')}
        </s-button>
      </s-stack>
    </s-section>
  )
}

async function follow(show: (state: State) => void, signal: AbortSignal): Promise<void> {
  const { order, number } = shopify.orderConfirmation.value
  // Orders before 2024 have no confirmation number; their links are in the mail.
  if (number === undefined) return show({ status: 'elsewhere' })
  let known = false
  for (let asked = 0; asked < MAX_ASKS && !signal.aborted; asked++) {
    const state = await ask(order.id, number, signal)
    if (signal.aborted) return
    known ||= state !== null
    if (state) show(state)
    if (state && state.status !== 'preparing') return
    const wait = Math.min(FIRST_MS * 1.3 ** asked, MAX_MS)
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
  // Nothing was ever answered: the order may have no files at all.
  if (!signal.aborted && known) show({ status: 'elsewhere' })
}

/** The products of the order, also those in bundles. */
const linesOfOrder = () =>
  shopify.lines.value
    .flatMap(({ merchandise, lineComponents }) => [
      merchandise,
      ...lineComponents.map((component) => component.merchandise),
    ])
    .slice(0, MAX_LINES)
    .map(({ id, product }) => ({ product_id: product.id, variant_id: id }))

/** Null: no usable answer; the next poll may get one. */
async function ask(order: string, number: string, signal: AbortSignal): Promise<State | null> {
  try {
    const response = await fetch(`${process.env.APP_URL}/extensions/thank-you`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await shopify.sessionToken.get()}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        order_id: order,
        confirmation_number: number,
        lines: linesOfOrder(),
      }),
      signal,
    })
    return response.ok ? ((await response.json()) as State) : null
  } catch {
    return null
  }
}
