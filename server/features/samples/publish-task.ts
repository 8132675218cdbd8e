// Writes what changed of a shop's samples to the platform, for the block of its theme. It compares
// what is published with the settings, so an undo, a restored file and a new mapping need no call.
import { say, ownValue } from '../../../plugins/contract.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { raiseNoticeOnce } from '../../core/outbox/notices.ts'
import { present } from '../../core/present.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import {
  FIELDS_PER_REQUEST,
  type Installation,
  type InstallationField,
} from '../../storefront/installation.ts'
import { digestOf, NAMESPACE, readPublication, SHOWN_SAMPLES } from './published.ts'

export interface PublishParts {
  database: Database
  storefront: { installation(shop: number): Installation }
  baseUrl: string
}

/** An app that was installed again has another installation, without metafields. */
const CHECKED = '1 day'
const MAX_SHOPS = 100

/** SQL: of everything that is published of the shop `s`. */
const digestOfShop = (baseUrl: string) => `md5('${digestOf(baseUrl)}' || coalesce((
  select string_agg(concat_ws(' ', x.product_id, x.token, x.length, x.content_type, x.filename), '|'
    order by x.product_id, x.token) from (${SHOWN_SAMPLES('s.id')}) x), ''))`

export function publishTask({ database, storefront, baseUrl }: PublishParts): BackgroundTask {
  const digest = digestOfShop(baseUrl)
  return {
    name: 'publish-samples',
    concurrency: 1,
    waits: true,
    wanted: `select s.id as shop_id, s.id::text as key, now() as due_at from shops s
      left join published_samples p on p.shop_id = s.id
      where s.uninstalled_at is null
        and (p.shop_id is not null or exists (select from samples m where m.shop_id = s.id))
        and (p.digest is distinct from ${digest} or p.checked_at < now() - interval '${CHECKED}')
      limit ${MAX_SHOPS}`,
    run: async ({ shop, signal }) => {
      const scope = forShop(database, present(shop, 'the task’s shop'))
      // Read before the samples: a change in between is published by the next run.
      const { digest: read } = await scope.one<{ digest: string }>(
        `select ${digest} as digest from shops s where s.id = :shop`,
      )
      const { fields, left_out } = await readPublication(scope, baseUrl)
      await publish(scope, storefront.installation(scope.shop), { fields, digest: read }, signal)
      if (left_out > 0) await warnOfRest(scope, left_out)
      return null
    },
  }
}

interface WantedFields {
  fields: readonly InstallationField[]
  digest: string
}

async function publish(
  scope: ShopScope,
  installation: Installation,
  { fields, digest }: WantedFields,
  signal: AbortSignal,
): Promise<void> {
  const id = await installation.id(signal)
  const [known] = await scope.query<{ installation: string; fields: Record<string, string> }>(
    'select installation, fields from published_samples where shop_id = :shop',
  )
  const before = known?.installation === id ? known.fields : {}
  const wanted = new Map(fields.map((field) => [field.key, field]))
  // A field without samples is emptied, not deleted: the block then finds nothing.
  const emptied = Object.keys(before).filter((key) => !wanted.has(key))
  const changed = [
    ...fields.filter(({ key, value }) => ownValue(before, key) !== digestOf(value)),
    ...emptied.map((key) => ({ namespace: NAMESPACE, key, value: {} })),
  ]
  for (let at = 0; at < changed.length; at += FIELDS_PER_REQUEST)
    await installation.write(id, changed.slice(at, at + FIELDS_PER_REQUEST), signal)
  await scope.query(
    `insert into published_samples (shop_id, installation, digest, fields)
     values (:shop, :id, :digest, :fields::jsonb)
     on conflict (shop_id) do update set installation = excluded.installation,
       digest = excluded.digest, fields = excluded.fields, checked_at = now()`,
    {
      id,
      digest,
      fields: JSON.stringify(
        Object.fromEntries(fields.map(({ key, value }) => [key, digestOf(value)])),
      ),
    },
  )
}

const warnOfRest = (scope: ShopScope, left_out: number): Promise<void> =>
  raiseNoticeOnce(scope, {
    level: 'warning',
    operation_id: null,
    title: say('Some samples are not on the shop front'),
    body: say(
      '{count, plural, one {# sample was} other {# samples were}} left out: a product shows 20 samples at most, and the platform limits their total. Remove samples that are not needed.',
      { count: left_out },
    ),
  })
