// Metafields of the app's own installation in a shop, which blocks of a theme read as `app.metafields`.
// The app may write them without any scope, and no other app can.
// https://shopify.dev/docs/apps/build/custom-data/ownership#app-data-metafields
import { PortError } from '../../plugins/contract/index.ts'
import { MUTATION_POINTS, type AdminRequest } from './admin-api.ts'
import { INSTALLATION_ID, SET_INSTALLATION_FIELDS } from './operations.ts'

/** A JSON metafield. */
export interface InstallationField {
  namespace: string
  key: string
  value: object
}

/** Every method throws `PortError`. */
export interface Installation {
  /** The platform's id: an app that is installed again has another one. */
  id(signal: AbortSignal): Promise<string>
  /** Idempotent. At most `FIELDS_PER_REQUEST`. */
  write(id: string, fields: readonly InstallationField[], signal: AbortSignal): Promise<void>
}

/** The maximum that `metafieldsSet` takes. */
export const FIELDS_PER_REQUEST = 25

export const createInstallation = (request: AdminRequest): Installation => ({
  id: async (signal) => {
    const { currentAppInstallation } = await request<{ currentAppInstallation: { id: string } }>(
      INSTALLATION_ID,
      {},
      1,
      signal,
    )
    return currentAppInstallation.id
  },
  write: async (ownerId, fields, signal) => {
    const metafields = fields.map(({ value, ...field }) => ({
      ...field,
      ownerId,
      type: 'json',
      value: JSON.stringify(value),
    }))
    const { metafieldsSet } = await request<{
      metafieldsSet: { userErrors: { message: string }[] } | null
    }>(SET_INSTALLATION_FIELDS, { metafields }, MUTATION_POINTS, signal)
    const [objection] = metafieldsSet?.userErrors ?? []
    if (objection) throw new PortError('storefront_unavailable', objection.message, false)
  },
})
