// The app's installation in the demo shop, with the metafields that the app wrote to it.
import { toGid } from './catalog-ids.ts'
import type { MetafieldInput } from './orders/admin-orders.ts'

const ID = toGid('AppInstallation', 1)
/** The platform refuses longer JSON. */
const MAX_JSON_BYTES = 128 * 1024

export interface DemoInstallation {
  id: string
  metafield(asked: { namespace?: string | null; key: string }): object | null
  /** Takes the metafields of the installation; null: they have another owner. */
  set(metafields: readonly MetafieldInput[]): object | null
}

export function createDemoInstallation(): DemoInstallation {
  const kept = new Map<string, object>()
  const nameOf = (namespace: string | null | undefined, key: string) =>
    `${namespace ?? '$app'}.${key}`
  return {
    id: ID,
    metafield: ({ namespace, key }) => kept.get(nameOf(namespace, key)) ?? null,
    set: (metafields) => {
      if (metafields.some(({ ownerId }) => ownerId !== ID)) return null
      const at = metafields.findIndex(({ value }) => Buffer.byteLength(value) > MAX_JSON_BYTES)
      if (at >= 0) {
        const field = ['metafields', String(at), 'value']
        return { metafields: null, userErrors: [{ message: 'Value is too long', field }] }
      }
      for (const { namespace, key, value } of metafields)
        kept.set(nameOf(namespace, key), {
          __typename: 'Metafield',
          id: toGid('Metafield', 1),
          namespace: namespace ?? '$app',
          key,
          type: 'json',
          value,
        })
      return { metafields: [], userErrors: [] }
    },
  }
}
