// What a merchant can connect: rclone, and each cloud provider with its fields.
import { english } from '../../../../plugins/contract.ts'
import { z } from 'zod'
import { CALLBACK_PATH } from '../authorize.ts'
import type { Cloud } from '../cloud.ts'
import { missingOf, setUpText } from '../connections.ts'
import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { type ConnectionParts, cloudReading } from './parts.ts'

const offerSchema = z
  .object({
    rclone: z.object({
      available: z.boolean(),
      version: z.string().nullable(),
      message: z.string().nullable().meta({ description: 'What to do if it is missing' }),
    }),
    callback_url: z.string(),
    providers: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        sign_in: z.enum(['keys', 'oauth', 'none']),
        available: z.boolean(),
        missing: z.array(z.string()).meta({ description: 'Variables that the operator sets' }),
        message: z.string().nullable(),
        needs_rclone: z.boolean(),
        presets: z.array(
          z.object({ id: z.string(), title: z.string(), endpoint: z.string().nullable() }),
        ),
        fields: z.array(
          z.object({
            name: z.string(),
            title: z.string(),
            help: z.string(),
            required: z.boolean(),
            secret: z.boolean(),
            multiline: z.boolean(),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'CloudOffer' })

export function cloudOfferRoutes({ cloud }: ConnectionParts): Endpoint[] {
  return [
    endpoint({
      ...cloudReading,
      method: 'get',
      path: '/api/cloud',
      summary: 'List the cloud providers',
      replies: { 200: { description: 'rclone and the providers', schema: offerSchema } },
      handler: () => Promise.resolve({ body: offerOf(cloud) }),
    }),
  ]
}

function offerOf(cloud: Cloud): z.output<typeof offerSchema> {
  const { version, message } = cloud.rclone
  return {
    rclone: { available: message === null, version, message },
    callback_url: cloud.options.baseUrl + CALLBACK_PATH,
    providers: cloud.providers.map((provider) => {
      const missing = missingOf(cloud, provider)
      return {
        id: provider.id,
        title: provider.title,
        sign_in: provider.signIn,
        available: missing.length === 0,
        missing,
        message: missing.length === 0 ? null : english(setUpText(provider, missing)),
        needs_rclone: provider.folder === undefined,
        presets: [...(provider.presets ?? [])],
        fields: provider.fields.map(({ rule: _, ...field }) => field),
      }
    }),
  }
}
