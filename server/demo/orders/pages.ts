// The pages of the demo shop's front: products with a Buy button, and an order's page, which shows
// the files when the app has set the order's metafield.
import { ownValue } from '../../../plugins/contract/index.ts'
import Handlebars from 'handlebars'
import type { DemoCatalog } from '../catalog.ts'
import { fold } from '../search.ts'
import { isFullyPaid, type DemoOrder } from './order.ts'
import { elementAt } from '../../core/lazy.ts'

const hbs = Handlebars.create()
const STYLE = `body{font:16px/1.5 system-ui,sans-serif;color:#222;max-width:860px;margin:0 auto;padding:24px}
h1{font-size:24px}ul{list-style:none;padding:0}li{display:flex;flex-wrap:wrap;gap:12px;align-items:center;padding:10px 0;border-top:1px solid #ddd}
li>span{flex:1 1 12rem}li img{border-radius:8px;background:#eee}small{color:#666;display:block}button,.button{font:inherit;padding:6px 14px;border:0;border-radius:8px;background:#1a1a1a;color:#fff;text-decoration:none;cursor:pointer}
button.plain{background:#eee;color:#222}input{font:inherit;padding:6px 8px;border:1px solid #888;border-radius:8px}
form{display:inline-flex;gap:8px;flex-wrap:wrap;align-items:center}details[open]{flex-basis:100%}details label{display:block;margin:6px 0}select{font:inherit;padding:5px}.note{background:#f3f6ff;padding:12px 16px;border-radius:8px}`

const layout = hbs.compile(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{title}}</title>{{#if refresh}}<meta http-equiv="refresh" content="2">{{/if}}<style>{{{style}}}</style></head>
<body>{{{content}}}</body></html>`)

const shopTemplate = hbs.compile(`<h1>{{shop}}: demo shop</h1>
<p class="note">This stands for your storefront. Import a file for a product and attach it, buy that product here, and
see what the buyer gets. <a href="{{admin}}">Open the admin page</a></p>
<form method="get" action="/demo/shop"><input name="q" value="{{query}}" aria-label="Search products" placeholder="Title or SKU">
<button class="plain">Search</button></form>
<ul>{{#each products}}<li>{{#if image}}<img src="{{image}}" alt="" width="56" height="56" loading="lazy">{{/if}}<span>{{title}}<small>{{sku}} · {{price}}</small></span>
<form method="post" action="/demo/orders"><input type="hidden" name="sku" value="{{sku}}">
<input type="email" name="email" value="buyer@example.com" aria-label="Your email address">
<button>Buy</button>
<details><summary>Another way to order</summary><label>Placed by <select name="source">
<option value="web">Online store</option><option value="pos">Point of sale</option>
<option value="shopify_draft_order">Draft order</option></select></label>
<label>Payment <select name="financial_status"><option value="PAID">Paid</option><option value="PENDING">Not paid yet</option>
<option value="AUTHORIZED">Authorized</option><option value="PARTIALLY_PAID">Half of it</option></select></label>
<label>Phone <input type="tel" name="phone" placeholder="+4915112345678"></label>
<label>Units <input type="number" name="quantity" min="1" max="1000" value="1"></label>
<label><input type="checkbox" name="guest" value="true"> No customer account</label>
<small>For a phone checkout, empty the email address and enter a phone number. A till has neither.</small></details></form></li>{{else}}<li>No product is called so.</li>{{/each}}</ul>
{{#if more}}<p>{{more}} more: search for them.</p>{{/if}}`)

const orderTemplate = hbs.compile(`<h1>Thank you: order {{name}}</h1>
<p>Confirmation {{confirmationNumber}} · {{#if email}}{{email}}{{else}}{{#if phone}}{{phone}}, {{/if}}no email{{/if}} · {{placed}} · {{financialStatus}}{{#if cancelledAt}} · cancelled{{/if}}</p>
{{#if url}}<p class="note"><a class="button" href="{{url}}">Your files</a> {{files}} ready. {{#if email}}The same link was sent by email.{{else}}No email was sent: the order has no address.{{/if}}</p>
{{else if pending}}<p class="note">Your files: {{pending}}.</p>
{{else}}<p class="note">Your files appear here once the shop has prepared them. This page looks every two seconds. A product without a file has none.</p>{{/if}}
<ul>{{#each lines}}<li><span>{{title}}<small>{{sku}}</small></span>{{currentQuantity}} of {{quantity}}</li>{{/each}}</ul>
<h2>As the merchant</h2>
<p>{{#if unpaid}}<form method="post" action="/demo/orders/{{id}}/pay"><button class="plain">Pay the balance</button></form>
{{/if}}<form method="post" action="/demo/orders/{{id}}/refund"><button class="plain">Refund</button></form>
<form method="post" action="/demo/orders/{{id}}/cancel"><button class="plain">Cancel</button></form>
<form method="post" action="/demo/orders/{{id}}/risk"><input type="hidden" name="recommendation" value="INVESTIGATE"><button class="plain">Mark as risky</button></form>
<form method="post" action="/demo/orders/{{id}}/risk"><input type="hidden" name="recommendation" value="ACCEPT"><button class="plain">Accept</button></form></p>
<p><a href="/demo/shop">Back to the shop</a> · <a href="{{admin}}/deliveries">Deliveries in the admin page</a></p>`)

const MAX_SHOWN = 60

interface ShopPageParts {
  shopName: string
  adminUrl: string
  catalog: DemoCatalog
}

export function shopPage({ shopName, adminUrl, catalog }: ShopPageParts, query: string): string {
  const { variants, products } = catalog
  const wanted = fold(query)
  const found = variants.sku.flatMap((sku, row) => {
    const product = elementAt(variants.product, row)
    const title = elementAt(products.title, product)
    const image = products.image[product] ?? null
    const fits = sku !== '' && (query === '' || fold(`${title} ${sku}`).includes(wanted))
    return fits ? [{ title, sku, image, price: elementAt(variants.price, row) }] : []
  })
  const content = shopTemplate({
    shop: shopName,
    admin: adminUrl,
    query,
    products: found.slice(0, MAX_SHOWN),
    more: Math.max(0, found.length - MAX_SHOWN),
  })
  return layout({ title: `${shopName}: demo shop`, style: STYLE, content })
}

const PLACED_BY: Readonly<Record<string, string>> = {
  web: 'online store',
  pos: 'point of sale',
  shopify_draft_order: 'draft order',
}

export function orderPage({ shopName, adminUrl }: ShopPageParts, order: DemoOrder): string {
  const field = order.metafields.find(({ key }) => key === 'delivery')
  const { url, files, status } = field
    ? (JSON.parse(field.value) as { url: string | null; files: number; status: string })
    : { url: null, files: 0, status: '' }
  const pending = status === 'ready' ? '' : status
  const content = orderTemplate({
    ...order,
    unpaid: !isFullyPaid(order),
    placed: ownValue(PLACED_BY, order.source ?? 'web') ?? order.source,
    url,
    files,
    pending,
    admin: adminUrl,
  })
  const title = `Order ${order.name} · ${shopName}`
  return layout({ title, style: STYLE, content, refresh: !field })
}

export const problemPage = (message: string): string =>
  layout({
    title: 'This did not work',
    style: STYLE,
    content: hbs.compile(
      '<h1>This did not work</h1><p>{{message}}</p><p><a href="/demo/shop">Back to the shop</a></p>',
    )({ message }),
  })
