// One flipped bit, and everyone who reads bytes without a plugin: people of the shop, visitors of a
// sample, and clients of the drop server get the good copy, or an error, and never the damage.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parsePublicId, toPublicId } from '../../server/core/ids.ts'
import { untilEnded } from '../app.ts'
import { addFile } from '../deliveries.ts'
import { openDropImports, type DropImports } from '../drop-import.ts'
import { openFtp } from '../ftp-client.ts'
import { openSftp, type SftpClient } from '../sftp-client.ts'

let house: DropImports
let client: SftpClient
beforeAll(async () => {
  house = await openDropImports()
  client = await openSftp(house.server.sftpPort, house.account.username, house.password)
})
afterAll(async () => {
  client.end()
  await house.close()
})
beforeEach(() => house.set({ schedule: 'manual' }))

/** What a door of the product gives: the text, or null if it refuses. */
type Read = () => Promise<string | null>
/** Makes bytes that it delivers. Returns how they are read. */
type Door = (name: string, bytes: Buffer) => Promise<Read>

const orNull = (work: Promise<string>) => work.catch(() => null)
const fetched =
  (address: string): Read =>
  async () => {
    const headers = { authorization: `Bearer ${house.app.owner.key}` }
    const answer = await fetch(`${house.app.url}${address}`, { headers })
    if (answer.status === 200) return answer.text()
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ error: { code: 'file_damaged' } })
    return null
  }
const dropped = async (name: string, bytes: Buffer) => {
  await house.send(name, bytes)
  return `${house.home}/${name}`
}
const openControl = () => openFtp(house.server.ftpPort, house.account.username, house.password)

const DOORS: Readonly<Record<string, Door>> = {
  'the content of a file': async (name, bytes) => {
    const id = await addFile(house.app.engine, name, bytes)
    return fetched(`/api/files/${toPublicId('file', id)}/content`)
  },
  'the content of a version': async (name, bytes) => {
    const id = await addFile(house.app.engine, name, bytes)
    return fetched(`/api/files/${toPublicId('file', id)}/versions/1/content`)
  },
  'a version that is restored': async (name, bytes) => {
    const id = toPublicId('file', await addFile(house.app.engine, name, bytes))
    return async () => {
      const { status, body } = await house.call('POST', `/api/files/${id}/versions/1/restore`)
      if (status === 200) return bytes.toString()
      expect([status, body.error.code]).toEqual([503, 'file_damaged'])
      return null
    }
  },
  'what an operation produced': async (name, bytes) => {
    const id = await addFile(house.app.engine, name, bytes)
    const { body } = await house.call('POST', '/api/operations', {
      action: 'export-files',
      select: { file_ids: [toPublicId('file', id)] },
    })
    await untilEnded(house.app.owner, body.id)
    await house.app.owner.scope.query(
      `update artifacts a set hash = v.hash, location = v.location from versions v
       where a.shop_id = :shop and a.operation_id = :operation and v.shop_id = :shop
         and v.file_id = :id`,
      { id, operation: parsePublicId('op', body.id) },
    )
    await house.app.owner.scope.query(
      `update artifacts set size_bytes = :size where shop_id = :shop and operation_id = :operation`,
      { size: bytes.length, operation: parsePublicId('op', body.id) },
    )
    return fetched(`/api/operations/${body.id}/artifact`)
  },
  'a public sample': async (name, bytes) => {
    const id = await addFile(house.app.engine, name.replace('.txt', '.pdf'), bytes)
    const token = Buffer.from(name.padEnd(16, '-').slice(-16)).toString('hex')
    await house.app.owner.scope.query(
      `insert into samples (shop_id, file_id, token, source_hash, length, hash, location, size_bytes,
         content_type)
       select shop_id, file_id, :token, hash, 1, hash, location, size_bytes, 'application/pdf'
       from versions where shop_id = :shop and file_id = :id`,
      { id, token },
    )
    await house.app.owner.scope.query(
      `update files set sample_pages = 1 where shop_id = :shop and id = :id`,
      { id },
    )
    return fetched(`/samples/${token}/sample.pdf`)
  },
  'SFTP, of a waiting file': async (name, bytes) => {
    const at = await dropped(name, bytes)
    return () => orNull(client.get(at).then(String))
  },
  'FTP, of a waiting file': async (name, bytes) => {
    await dropped(name, bytes)
    return async () => {
      const ftp = await openControl()
      const data = await ftp.data()
      const read = text(data)
      const answer = await ftp.say(`RETR ${name}`)
      const all = answer.startsWith('150') ? await read : null
      ftp.socket.destroy()
      return all
    }
  },
  'SFTP, when a waiting file is continued': async (name, bytes) => {
    const at = await dropped(name, bytes)
    return () =>
      orNull(
        new Promise<void>((resolve, reject) =>
          client.sftp.appendFile(at, '!', (error) => (error ? reject(error) : resolve())),
        ).then(async () => String(await client.get(at)).slice(0, -1)),
      )
  },
  'the import of a waiting file': async (name, bytes) => {
    await dropped(name, bytes)
    return async () => {
      const { body } = await house.call('POST', '/api/drop/import')
      await untilEnded(house.app.owner, body.id)
      const items = await house.get(`/api/operations/${body.id}/items`)
      if (items.data[0].status === 'done') return bytes.toString()
      expect(items.data[0].error.code).toBe('file_damaged')
      return null
    }
  },
}

let made = 0
async function damaged(door: Door, { backup }: { backup: boolean }) {
  const name = `door-${made++}.txt`
  const bytes = Buffer.from(`the whole text of ${name}, which has one bit that is wrong`)
  const read = await door(name, bytes)
  const stored = { shop: house.app.owner.scope.shop, bytes: Readable.from([bytes]) }
  const { hash } = await house.app.stores.get('backup')!.write(stored.shop, stored.bytes)
  if (!backup) await house.app.stores.get('backup')!.remove(stored.shop, hash)
  const at = path.join(house.app.engine.folder, 'primary', String(stored.shop), hash)
  const flipped = await readFile(at)
  flipped[10]! ^= 1
  await writeFile(at, flipped)
  return { at, bytes, read }
}

describe('an import.csv next to waiting files', () => {
  /** Sends both, and flips a bit of a tag. */
  async function waiting(name: string) {
    const bytes = Buffer.from(`filename,tags\n${name},summer\n`)
    await house.send(name, name)
    await house.send('import.csv', bytes)
    const { shop } = house.app.owner.scope
    const backup = house.app.stores.get('backup')!
    const { hash } = await backup.write(shop, Readable.from([bytes]))
    const at = path.join(house.app.engine.folder, 'primary', String(shop), hash)
    const flipped = await readFile(at)
    flipped[bytes.indexOf('summer')]! ^= 1
    await writeFile(at, flipped)
    return { backup: () => backup.remove(shop, hash) }
  }
  const start = () => house.call('POST', '/api/drop/import')

  test('is restored from the good copy before its rows are used', async () => {
    await waiting('told.txt')
    const { body } = await start()
    await untilEnded(house.app.owner, body.id)
    const { data } = await house.get('/api/files?search=told.txt')
    expect(data.map(({ tags }: { tags: string[] }) => tags)).toEqual([['summer']])
  })

  test('lets nothing be imported without a good copy', async () => {
    const { backup } = await waiting('untold.txt')
    await backup()
    expect((await start()).status).toBe(409)
    expect((await house.get('/api/files?search=untold.txt')).data).toEqual([])
    const failed = await house.app.owner.scope.query(
      `select name, error ->> 'code' as code from drop_entries
       where shop_id = :shop and folder like 'failed%' and dropped_name is not null order by name`,
    )
    expect(failed).toMatchObject([
      { name: 'import.csv', code: 'file_damaged' },
      { name: 'untold.txt', code: 'file_damaged' },
    ])
  })
})

describe.each(Object.keys(DOORS))('%s', (door) => {
  test('with a good copy at hand gives that, and repairs the bytes', async () => {
    const { at, bytes, read } = await damaged(DOORS[door]!, { backup: true })
    expect(await read()).toBe(bytes.toString())
    // The store removes bytes that a client has replaced.
    if (!door.includes('continued')) expect(await readFile(at)).toEqual(bytes)
  })

  test('without one is refused', async () => {
    const { read } = await damaged(DOORS[door]!, { backup: false })
    expect(await read()).toBeNull()
  })
})
