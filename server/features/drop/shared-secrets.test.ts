import ssh2 from 'ssh2'
import { expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '../../../test/database.ts'
import { createSecrets } from '../../core/secrets.ts'
import { hostKeys, readableKey } from './shared-secrets.ts'

const fresh = () => ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }).private

test('a host key that ssh2 cannot read back is not kept', async () => {
  const good = fresh()
  const made = [
    '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----',
    good,
  ]
  expect(await readableKey(() => made.shift()!)).toBe(good)
})

test('all processes get the same keys, and an unreadable one is replaced', async () => {
  const database = await openTestDatabase()
  onTestFinished(() => database.drop())
  const secrets = createSecrets('the secret of the tests, long enough')
  const first = await hostKeys(database, secrets)
  expect(await hostKeys(database, secrets)).toEqual(first)
  const sealed = secrets.seal('no key', 'drop_secrets.host-key-ed25519')
  const name = 'host-key-ed25519'
  await database.pool.query('update drop_secrets set sealed = $2 where name = $1', [name, sealed])
  const [replaced, kept] = await hostKeys(database, secrets)
  expect(ssh2.utils.parseKey(replaced!)).not.toBeInstanceOf(Error)
  expect(kept).toBe(first[1])
})
