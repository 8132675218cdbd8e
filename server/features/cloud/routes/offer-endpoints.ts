// What a merchant can connect: rclone, and each cloud provider with its fields.
import { z } from 'zod'
import { sayPlain } from '../../../../plugins/contract/index.ts'
import { storedMessage } from '../../../core/texts.ts'
import { CALLBACK_PATH } from '../authorize.ts'
import type { Cloud } from '../cloud.ts'
import { missingOf, setUpText } from '../set-up.ts'
import { messageText } from '../../../http/schemas.ts'
import type { Endpoint } from '../../../http/endpoint.ts'
import { type ConnectionParts, cloudReading } from './parts.ts'

const offerSchema = z
  .object({
    rclone: z.object({
      available: z.boolean(),
      version: z.string().nullable(),
      message: z.string().nullable().describe('What has to happen if it is missing'),
    }),
    callback_url: z.string(),
    providers: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        sign_in: z.enum(['keys', 'oauth', 'none']),
        available: z.boolean(),
        message: z.string().nullable().describe('Why it cannot be connected; null: it can'),
        message_text: messageText,
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
    cloudReading('GET /api/cloud', {
      summary: 'List the cloud providers',
      replies: { 200: { description: 'rclone and the providers', schema: offerSchema } },
      handler: () => Promise.resolve({ body: offerOf(cloud) }),
    }),
  ]
}

/** The log says what is wrong with the program. */
const INSTALL = sayPlain(
  'The operator of this installation has to install rclone 1.60 or newer and to restart it.',
)

function offerOf(cloud: Cloud): z.output<typeof offerSchema> {
  const { version, path } = cloud.rclone
  return {
    rclone: { available: path !== null, version, message: path === null ? INSTALL : null },
    callback_url: cloud.options.baseUrl + CALLBACK_PATH,
    providers: cloud.providers.map((provider) => {
      const isSetUp = missingOf(cloud.options, provider).length === 0
      return {
        id: provider.id,
        title: provider.title,
        sign_in: provider.signIn,
        available: isSetUp,
        ...(isSetUp ? { message: null } : storedMessage(setUpText(provider))),
        needs_rclone: provider.folder === undefined,
        presets: [...(provider.presets ?? [])],
        fields: provider.fields.map(({ rule: _, ...field }) => field),
      }
    }),
  }
}
