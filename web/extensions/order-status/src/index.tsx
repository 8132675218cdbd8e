// On the order's page in the customer's account: shows what the app wrote to the order's metafield.
// It calls no server.
import '@shopify/ui-extensions/preact'
import type { Api } from '@shopify/ui-extensions/customer-account.order-status.block.render'
import { render } from 'preact'
import { isAllLater, termTexts, type Terms } from '../../terms.ts'

declare const shopify: Api

interface Delivery {
  status: 'ready' | 'held' | 'preparing' | 'withdrawn' | 'revoked'
  files: number
  url: string | null
  terms: Terms
}

const KEY = 'delivery'

export default function extension() {
  render(<OrderStatus />, document.body)
}

function OrderStatus() {
  const delivery = readDelivery()
  // The order has no files.
  if (!delivery) return null
  const { i18n } = shopify
  const { status, files, url } = delivery
  const now = new Date()
  const gone = status === 'withdrawn' || status === 'revoked'
  return (
    <s-section heading={i18n.translate('heading')}>
      {status === 'ready' && url !== null ? (
        <s-stack gap="base">
          {!isAllLater(files, delivery.terms, now) && (
            <s-text>{i18n.translate('ready', { count: files })}</s-text>
          )}
          {termTexts(delivery, i18n, now).map((text) => (
            <s-text key={text}>{text}</s-text>
          ))}
          <s-button href={url} target="_blank" variant="primary">
            {i18n.translate('open')}
          </s-button>
        </s-stack>
      ) : (
        <s-text>
          {i18n.translate(gone ? 'withdrawn' : status === 'held' ? 'held' : 'preparing')}
        </s-text>
      )}
    </s-section>
  )
}

/** The namespace is not compared: only this app's metafield was requested. */
function readDelivery(): Delivery | null {
  const entry = shopify.appMetafields.value.find(
    ({ target, metafield }) => target.type === 'order' && metafield.key === KEY,
  )
  if (!entry) return null
  try {
    return JSON.parse(String(entry.metafield.value)) as Delivery
  } catch {
    return null
  }
}
