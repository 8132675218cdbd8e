// Deliveries as their workflows see them: a page, a link for each file, and a workflow run.
import { inEnglish } from './english.ts'
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Step, Workflow } from '../plugins/contract/index.ts'
import type { ShopScope } from '../server/core/db/for-shop.ts'
import {
  prepareDelivery,
  type DeliveryAbout,
  type Preparation,
} from '../server/features/preparation/runs.ts'
import { admitFiles } from '../server/files/admit.ts'
import { draftFrom, type Draft } from '../server/files/drafts.ts'
import { shopSettingsSchema } from '../server/files/shop-settings.ts'
import { hashKey } from '../server/core/secrets.ts'
import type { TestEngine } from './engine.ts'

export const ANN: DeliveryAbout['buyer'] = {
  name: 'Ann O’Brien',
  email: 'ann@example.com',
  locale: 'en',
}

export const deliveryWorkflowOf = (...steps: readonly Omit<Step, 'id'>[]): Workflow => ({
  id: 'workflow_test',
  title: 'Deliver',
  action: 'delivery',
  kind: 'delivery',
  parallel: 1,
  steps: steps.map((step, at) => ({ id: `step-${at}`, ...step })),
})

/** Creates a file with these bytes, and with the fields that are given; returns its UUID. */
export async function addFile(
  house: Pick<TestEngine, 'parts' | 'scope'>,
  filename: string,
  bytes: Uint8Array,
  given: Partial<Draft> = {},
): Promise<string> {
  const { stage } = await house.parts.ports(house.scope)
  const staged = await stage.write(
    Readable.from([Buffer.from(bytes)]),
    null,
    new AbortController().signal,
  )
  const draft = { ...draftFrom({ filename }, shopSettingsSchema.parse({})), ...given }
  const admission = { draft, staged, onConflict: 'error', channel: 'api' } as const
  const [made] = await house.scope.transaction((tx) =>
    admitFiles(tx, [admission], { file_bytes: 1e9 }),
  )
  if (made?.status !== 'created') throw new Error(JSON.stringify(inEnglish(made)))
  return made.fileId
}

export interface TestDelivery {
  id: string
  page: string
  /** The key of each file's link. */
  keys: ReadonlyMap<string, string>
  preparation: Preparation
}

async function addLink(scope: ShopScope, row: object): Promise<{ id: string; key: string }> {
  const key = randomUUID()
  const [{ id }] = (await scope
    .insert('links', { key_hash: hashKey(key), ...row })
    .returning('id')) as [{ id: string }]
  return { id, key }
}

/** Creates a delivery of these files and queues a run of `workflow`. */
export async function deliver(
  scope: ShopScope,
  files: readonly string[],
  workflow: Workflow,
  about: Partial<DeliveryAbout> = {},
): Promise<TestDelivery> {
  const id = randomUUID()
  const order = { id: `gid://shopify/Order/${id}`, name: '#1001', email: ANN.email }
  await scope.insert('orders', { ...order, ordered_at: new Date(), changed_at: new Date() })
  await scope.insert('deliveries', { id, order_id: order.id })
  const page = await addLink(scope, { pack_name: 'Order #1001' })
  const keys = new Map<string, string>()
  for (const file_id of files)
    keys.set(file_id, (await addLink(scope, { file_id, parent_id: page.id })).key)
  const preparation = await scope.transaction((tx) =>
    prepareDelivery(tx, {
      delivery: id,
      page: page.id,
      workflow,
      files,
      about: {
        order: {
          name: '#1001',
          confirmation_number: 'X1Y2Z3',
          ordered_at: '2026-03-01T12:00:00.000Z',
        },
        buyer: ANN,
        lines: files.map((file) => ({ id: `line-${file}`, quantity: 1, files: [file] })),
        ...about,
      },
    }),
  )
  return { id, page: page.id, keys, preparation }
}
