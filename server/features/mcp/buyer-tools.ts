// The tools about buyers: what they got, and why one of them cannot download.
import { z } from 'zod'
import { AppError } from '../../core/errors.ts'
import { defineTool, shownFields, listedRows, type Json, type Read, type Tool } from './tool.ts'

const DELIVERY_FIELDS = [
  'id',
  'order_name',
  'email',
  'status',
  'reason',
  'hold',
  'files',
  'blocked_files',
  'blocked_by',
  'downloads',
  'opened_at',
  'last_download_at',
  'bounced_at',
  'asked',
  'created_at',
] as const

const deliveryOf = (delivery: Json): Json => ({
  ...shownFields(delivery, DELIVERY_FIELDS),
  sent: delivery['sent'] ? shownFields(delivery['sent'], ['kind', 'status', 'error', 'at']) : null,
})

const findDeliveries = defineTool({
  kind: 'read',
  name: 'find_deliveries',
  title: 'Find deliveries of a buyer or an order',
  description:
    'What orders gave to their buyers: the state of each delivery, its mail and downloads.',
  input: z.strictObject({
    email: z.string().max(320).optional().describe('The address of the buyer'),
    order: z
      .string()
      .max(100)
      .optional()
      .describe('The name of the order like #1001, its id or its confirmation number'),
    limit: z.int().min(1).max(50).optional(),
    cursor: z.string().max(500).optional().describe('`next_cursor` of the answer before'),
  }),
  answer: async (asked, { read }) => {
    const found = await read('/api/deliveries', { query: { limit: 10, ...asked } })
    return { deliveries: listedRows(found).map(deliveryOf), next_cursor: found['next_cursor'] }
  },
})

const whyCannotDownload = defineTool({
  kind: 'read',
  name: 'why_buyer_cannot_download',
  title: 'Find out why a buyer cannot download',
  description:
    'Everything of an address that stops downloads: deliveries that are held or ended, files that are used up or expired, mails that came back, links that ended, and the downloads that were refused lately.',
  input: z.strictObject({ email: z.string().min(3).max(320).describe('The address of the buyer') }),
  answer: async ({ email: given }, { read }) => {
    const email = given.trim()
    const buyer = await buyerOf(read, email)
    const [deliveries, links] = [
      listedRows(await read('/api/deliveries', { query: { email, limit: 20 } })),
      listedRows(await read('/api/links', { query: { email, limit: 50 } })),
    ]
    const refusals = buyer && Array.isArray(buyer['refusals']) ? (buyer['refusals'] as Json[]) : []
    const findings = [
      ...deliveries.flatMap(findingsOfDelivery),
      ...links.flatMap(findingsOfLink),
      ...(refusals.length > 0
        ? [`${refusals.length} refused downloads are recorded: see refusals`]
        : []),
    ]
    const has = deliveries.length + links.length > 0
    return {
      findings:
        findings.length > 0
          ? findings
          : [
              has
                ? 'Nothing stops a download of this address now'
                : 'No order and no link of this shop has this address: compare it with the order',
            ],
      buyer:
        buyer && shownFields(buyer, ['email', 'orders', 'files', 'blocked_files', 'downloads']),
      deliveries: deliveries.map(deliveryOf),
      links: links.map((link) => shownFields(link, ['id', 'filename', 'status', 'expires_at'])),
      refusals: refusals.slice(0, 20),
    }
  },
})

/** The buyer's record; null: the address has nothing. */
const buyerOf = (read: Read, email: string): Promise<Json | null> =>
  read('/api/buyers/detail', { query: { email } }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  })

const BLOCKS = {
  used_up: 'have no downloads left',
  expired: 'have expired',
  not_prepared: 'are not prepared by the workflow of deliveries',
  views_used_up: 'have no views left',
  views_expired: 'can be viewed no longer',
} as const

function findingsOfDelivery(delivery: Json): string[] {
  const { order_name, status, reason, sent, bounced_at } = delivery
  const name = `Delivery of ${String(order_name)}`
  const counts = (delivery['blocked_by'] ?? {}) as Partial<Record<keyof typeof BLOCKS, number>>
  const mail = sent as { status: string; error: string | null } | null
  return [
    ...(status === 'ready' ? [] : [`${name}: ${String(status)}${because(reason)}`]),
    ...Object.entries(BLOCKS).flatMap(([block, words]) => {
      const count = counts[block as keyof typeof BLOCKS] ?? 0
      return count === 0 ? [] : [`${name}: ${count} of its files ${words}`]
    }),
    ...(bounced_at === null ? [] : [`${name}: its last message came back${because(mail?.error)}`]),
    ...(mail?.status === 'failed' && bounced_at === null
      ? [`${name}: its message was not sent${because(mail.error)}`]
      : []),
  ]
}

const because = (reason: unknown): string => (typeof reason === 'string' ? ` (${reason})` : '')

const findingsOfLink = ({ id, filename, status }: Json): string[] =>
  status === 'active' ? [] : [`Link ${String(id)} to ${String(filename)}: ${String(status)}`]

export const buyerTools: readonly Tool[] = [findDeliveries, whyCannotDownload]
