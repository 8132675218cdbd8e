// Calls the API of one shop with its key.

/** The API of a shop: the answer's body. A text is sent as CSV. Throws if it refuses. */
export type CallShop = (method: string, route: string, body?: object | string) => Promise<unknown>

interface ShopAccess {
  url: string
  apiKey: string
  /** Further headers of each call. */
  prefer?: Readonly<Record<string, string>>
}

export const shopCaller =
  ({ url, apiKey, prefer = {} }: ShopAccess): CallShop =>
  async (method, route, body) => {
    const isText = typeof body === 'string'
    const reply = await fetch(url + route, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...prefer,
        ...(body === undefined ? {} : { 'content-type': isText ? 'text/csv' : 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    })
    if (!reply.ok) throw new Error(`${method} ${route}: ${reply.status} ${await reply.text()}`)
    return reply.status === 204 ? undefined : reply.json()
  }
