// The pages of the demo's admin: the frame around the app, and a shop's orders and products with the
// app's extensions on them.
import Handlebars from 'handlebars'

const hbs = Handlebars.create()

interface Place {
  shopName: string
  /** `/store/harbour-press` */
  root: string
}

interface Shell extends Place {
  title: string
  /** The entry of the menu that is open. */
  open: 'orders' | 'products' | 'app'
}

const shell = hbs.compile(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{title}} · {{shopName}}</title><link rel="stylesheet" href="/store/admin.css">
<script src="/store/admin.js" defer></script></head>
<body><header><a class="brand" href="{{root}}/apps/stevedore">{{shopName}}</a><span>Demo admin</span>
<div id="save-bar" role="region" aria-label="Unsaved changes" hidden><span>Unsaved changes</span></div></header>
<details id="menu" open><summary>Menu</summary><nav aria-label="Admin"><ul>
<li><a href="{{root}}/orders"{{#if orders}} aria-current="page"{{/if}}>Orders</a></li>
<li><a href="{{root}}/products"{{#if products}} aria-current="page"{{/if}}>Products</a></li>
<li><a href="{{root}}/apps/stevedore"{{#if app}} aria-current="page"{{/if}}>Stevedore</a><ul id="app-menu"></ul></li>
</ul></nav></details>
<main>{{{content}}}</main>
<div id="toasts" role="status"></div>
<dialog id="modal" aria-labelledby="modal-title"><h2 id="modal-title"></h2><div class="words"></div><div class="buttons"></div></dialog>
<dialog id="leave" aria-labelledby="leave-title"><form method="dialog"><h2 id="leave-title">Leave page with unsaved changes?</h2>
<p class="words">Leaving this page will delete all unsaved changes.</p>
<div class="buttons"><button value="stay" autofocus>Stay</button><button value="leave" class="critical">Leave page</button></div></form></dialog>
</body></html>`)

const appTemplate = hbs.compile(`<h1 class="hidden">Stevedore</h1>
<p id="silent" hidden>The app does not answer. <a href="{{root}}/apps/stevedore">Load it again</a></p>
<iframe id="app" title="Stevedore" src="{{src}}" data-origin="{{origin}}" data-base="{{root}}/apps/stevedore" allow="clipboard-write; fullscreen"></iframe>`)

const blockTemplate = hbs.compile(
  `<iframe class="extension" title="{{title}}" data-name="{{name}}" src="/store/extensions/{{name}}?{{query}}"></iframe>`,
)

const ordersTemplate =
  hbs.compile(`<div class="page"><h1>Orders</h1><p><a href="/demo/shop">Buy something in the shop front</a></p>
<table><thead><tr><th>Order</th><th>Placed</th><th>Customer</th><th>Payment</th></tr></thead><tbody>
{{#each orders}}<tr><td><a href="{{../root}}/orders/{{id}}">{{name}}</a></td><td>{{placed}}</td><td>{{customer}}</td><td>{{payment}}</td></tr>
{{else}}<tr><td colspan="4">Nobody has bought anything yet.</td></tr>{{/each}}</tbody></table></div>`)

const orderTemplate =
  hbs.compile(`<div class="page"><p><a href="{{root}}/orders">Orders</a></p><h1>{{name}}</h1>
<p>{{placed}} · {{payment}} · {{customer}}</p>
<ul class="rows">{{#each lines}}<li><a href="{{../root}}/products/{{productId}}">{{title}}</a> <small>{{sku}}</small><span>{{currentQuantity}} of {{quantity}}</span></li>{{/each}}</ul>
{{{block}}}<p><a href="/demo/orders/{{id}}">As the buyer sees it; refund, cancel</a></p></div>`)

const productsTemplate = hbs.compile(`<div class="page"><h1>Products</h1>
<form method="get"><input type="search" name="q" value="{{query}}" aria-label="Search products" placeholder="Title or SKU"><button>Search</button></form>
<p><button type="button" id="links" disabled>Create download links</button></p>
<ul class="rows">{{#each products}}<li><input type="checkbox" name="product" value="{{gid}}" aria-label="Select {{title}}">{{#if image}}<img src="{{image}}" alt="" width="40" height="40" loading="lazy">{{/if}}
<a href="{{../root}}/products/{{id}}">{{title}}</a> <small>{{skus}}</small></li>{{else}}<li>No product is called so.</li>{{/each}}</ul>
{{#if more}}<p>{{more}} more: search for them.</p>{{/if}}
<dialog id="action" aria-label="Create download links">{{{frame}}}</dialog></div>`)

const productTemplate =
  hbs.compile(`<div class="page"><p><a href="{{root}}/products">Products</a></p>
<h1>{{#if image}}<img src="{{image}}" alt="" width="64" height="64">{{/if}}{{title}}</h1>
<ul class="rows">{{#each variants}}<li>{{title}} <small>{{sku}}</small><span>{{price}}</span></li>{{/each}}</ul>{{{block}}}</div>`)

const extensionTemplate = hbs.compile(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{{name}}</title><link rel="stylesheet" href="/store/extension.css"></head>
<body><script type="application/json" id="given">{{{given}}}</script><script src="/store/extension-host.js"></script>
<script type="module" src="/store/extensions/{{name}}/start.js"></script></body></html>`)

const inShell = (about: Shell, content: string): string =>
  shell({ ...about, content, [about.open]: true })

/** The app in its frame. `src`: the app's page, with what the platform adds to its address. */
export const appPage = (place: Place, src: URL): string =>
  inShell(
    { ...place, title: 'Stevedore', open: 'app' },
    appTemplate({ ...place, src: src.href, origin: src.origin }),
  )

export interface ShownOrder {
  id: number
  name: string
  placed: string
  customer: string
  payment: string
}

export const adminOrdersPage = (place: Place, orders: readonly ShownOrder[]): string =>
  inShell({ ...place, title: 'Orders', open: 'orders' }, ordersTemplate({ ...place, orders }))

interface ShownLine {
  productId: number
  title: string
  sku: string
  quantity: number
  currentQuantity: number
}

export const adminOrderPage = (
  place: Place,
  order: ShownOrder & { gid: string; lines: readonly ShownLine[] },
): string =>
  inShell(
    { ...place, title: order.name, open: 'orders' },
    orderTemplate({ ...place, ...order, block: block('order-block', [order.gid]) }),
  )

export interface ShownProduct {
  id: number
  gid: string
  title: string
  image: string | null
  skus: string
}

export const productsPage = (
  place: Place,
  query: string,
  products: readonly ShownProduct[],
  more: number,
): string =>
  inShell(
    { ...place, title: 'Products', open: 'products' },
    // Its frame is loaded when it is asked for.
    productsTemplate({
      ...place,
      query,
      products,
      more,
      frame:
        '<iframe class="extension" title="Create download links" data-name="product-links"></iframe>',
    }),
  )

export const productPage = (
  place: Place,
  product: ShownProduct & { variants: readonly { title: string; sku: string; price: string }[] },
): string =>
  inShell(
    { ...place, title: product.title, open: 'products' },
    productTemplate({ ...place, ...product, block: block('product-block', [product.gid]) }),
  )

const TITLES = { 'order-block': 'Downloads', 'product-block': 'Files' } as const

const block = (name: keyof typeof TITLES, selected: readonly string[]): string =>
  blockTemplate({ name, title: TITLES[name], query: selectionOf(selected) })

const selectionOf = (ids: readonly string[]): string =>
  new URLSearchParams(ids.map((id): [string, string] => ['selected', id])).toString()

/** The document in which an extension runs. */
export const extensionPage = (
  name: string,
  given: { selected: readonly string[]; app: string; texts: object },
): string =>
  extensionTemplate({
    name,
    given: JSON.stringify({ name, ...given }).replaceAll('<', '\\u003c'),
  })
