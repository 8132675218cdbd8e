// Files and mails of links, made without an import.
import type { ShopScope } from '../server/core/db/for-shop.ts'
import { hashKey, type Secrets } from '../server/core/secrets.ts'
import { present } from '../server/core/lazy.ts'
import { queueLinkMails } from '../server/features/links/mail.ts'
import { randomUUID } from 'node:crypto'

export const makeFiles = (scope: ShopScope, names: readonly string[]): Promise<void> =>
  scope.transaction((tx) => insertFiles(tx, names))

async function insertFiles(scope: ShopScope, names: readonly string[]): Promise<void> {
  const about = { size_bytes: 10, content_type: 'application/pdf' }
  const hash = Buffer.alloc(32, 1)
  await scope.insert('blobs', { hash, size_bytes: 10 })
  await scope.insert('blob_locations', { hash, location: 'primary' })
  for (const filename of names) {
    const file = { filename, name_key: filename.toLowerCase(), extension: 'pdf', channel: 'api' }
    const [row] = (await scope
      .insert('files', { ...file, ...about, mapping_state: 'never' })
      .returning('id')) as { id: string }[]
    const file_id = present(row, 'The file').id
    await scope.insert('versions', { file_id, number: 1, hash, location: 'primary', ...about })
  }
}

/** Makes a link to a file of the shop and queues its mail; returns the message (a bare UUID). */
export async function createLink(
  scope: ShopScope,
  secrets: Secrets,
  email: string,
): Promise<string> {
  const id = randomUUID()
  await scope.query(
    `insert into links (shop_id, id, file_id, key_hash, email, created_at)
     select :shop, :id, id, :hash, :email, now() from files where shop_id = :shop limit 1`,
    { id, hash: hashKey(secrets.linkKey(id, 0)), email },
  )
  await queueLinkMails(scope, [id], { occasion: 'created' })
  const { message } = await scope.one<{ message: string }>(
    `select id as message from outbox where shop_id = :shop and payload ->> 'link' = :id::text`,
    { id },
  )
  return message
}
