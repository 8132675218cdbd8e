// The pictures of the demo shop's products, drawn when they are first requested.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createTtlCache } from '../core/lazy.ts'
import type { DemoCatalog } from './catalog.ts'
import { encodedPathOf } from './own-page.ts'

const PICTURE = /^\/demo\/pictures\/([\w-]{1,200})\.png$/
const KEPT_MS = 10 * 60_000

/** Gives pictures of the bundled catalog, which have only a path, the app's address. */
export function addressPictures({ products }: DemoCatalog, appAddress: string): void {
  products.image = products.image.map((url) => (url?.startsWith('/') ? appAddress + url : url))
}

/** Answers the addresses of pictures and returns true; false for others. Public, as on the platform. */
export function createPictures({ products }: DemoCatalog, vendor: string) {
  const kept = createTtlCache<Promise<Buffer>>(KEPT_MS)
  const drawn = (row: number, handle: string): Promise<Buffer> => {
    const known = kept.get(handle)
    if (known) return known
    const [title = '', type = ''] = [products.title[row], products.type[row]]
    // Loaded only here: it needs the libraries for documents and images.
    const drawing = import('./art.ts').then(({ productPicture }) =>
      productPicture({ title, type, vendor: products.vendor[row] ?? vendor }),
    )
    kept.set(handle, drawing)
    return drawing
  }
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const handle = PICTURE.exec(encodedPathOf(request))?.[1]
    if (handle === undefined) return false
    const row = products.handle.indexOf(handle)
    if (row < 0) return Boolean(response.writeHead(404).end())
    drawn(row, handle).then(
      (bytes) => {
        const headers = {
          'content-type': 'image/png',
          'content-length': bytes.length,
          'cache-control': 'public, max-age=86400',
        }
        response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : bytes)
      },
      () => response.writeHead(500).end(),
    )
    return true
  }
}
