// Objects under another path whose hashes do not say that they are the same: sent in parts, encrypted,
// or listed without a hash. Their bytes are compared before anything is moved to the trash.
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openBucket } from '../../server/core/store/s3-calls.ts'
import { untilEndedOrPreview, useClouds } from '../cloud.ts'
import { BUCKET, CREDENTIALS, startS3 } from '../fakes/s3.ts'
import { sized, soakCases, soakDescribe, someOf } from '../scale.ts'

const { app, bucket, clouds } = await useClouds()
const s3 = await startS3({ minPart: 1 })
const { client } = openBucket(s3.location())
afterAll(async () => {
  client.destroy()
  await s3.close()
})
beforeEach(() => {
  bucket.intercept = () => null
})

/** Stores an object whose hash says nothing about its bytes: one sent in parts, or encrypted. */
const HASHES = {
  parts: (content: string) => `${Buffer.from(content).toString('hex').slice(0, 8)}-2`,
  kms: () => randomBytes(16).toString('hex'),
}
type Kind = keyof typeof HASHES
function put(kind: Kind, key: string, content: string) {
  bucket.put(key, content)
  bucket.objects.set(key, { ...bucket.objects.get(key)!, etag: HASHES[kind](content) })
}
function move(from: string, to: string, hash?: string) {
  const object = bucket.objects.get(from)!
  bucket.objects.delete(from)
  bucket.objects.set(to, { ...object, modified: new Date(), etag: hash ?? object.etag })
}

const idsIn = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(await app.files()).map(([name, file]) => [name, (file as { id: string }).id]),
  )

soakDescribe('a bucket encrypted with a key of KMS', () => {
  test('is synced in both directions', async () => {
    bucket.encrypted = true
    onTestFinished(() => void (bucket.encrypted = false))
    for (const name of ['one', 'two', 'ten']) put('kms', `both/${name} both.txt`, name)
    const id = await app.connect({
      ...bucket.connection('both'),
      direction: 'two_way',
      include: ['*both*'],
    })
    expect(await app.sync(id)).toMatchObject({ status: 'success', done: 3 })
    const files = await idsIn()
    await app.replace(files['one both.txt']!, 'changed here')
    await app.owner.call('PATCH', `/api/files/${files['two both.txt']}`, {
      filename: 'too both.txt',
    })
    expect(await app.sync(id)).toMatchObject({ status: 'success', failed: 0 })
    const keys = [...bucket.objects.keys()].filter((key) => key.startsWith('both/')).sort()
    expect(keys).toEqual(['both/one both.txt', 'both/ten both.txt', 'both/too both.txt'])
    expect(bucket.objects.get('both/one both.txt')!.size).toBe('changed here'.length)
    expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })
  })

  test('refuses an object that gives other bytes at each reading', async () => {
    put('kms', 'damaged/one damaged.txt', 'damaged')
    const object = bucket.objects.get('damaged/one damaged.txt')!
    bucket.objects.set('damaged/one damaged.txt', {
      ...object,
      read: (start, end) => randomBytes(end - start),
    })
    const id = await app.connect(bucket.connection('damaged'))
    const sync = await app.sync(id)
    expect(sync).toMatchObject({ done: 0, failed: 1 })
    const { data } = await app.get(`/api/operations/${sync.id}/items`)
    expect(data).toMatchObject([{ error: { code: 'cloud_listing_differs' } }])
  })
})

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})
const KEY = JSON.stringify({
  type: 'service_account',
  client_email: 'sync@harbour.iam.gserviceaccount.com',
  private_key: privateKey,
  private_key_id: 'key-1',
  project_id: 'harbour',
})

/** Sends an object in parts, as programs do with large ones. */
async function sendInParts(Key: string, content: string) {
  const at = { Bucket: BUCKET, Key }
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(at))
  const pieces = [content.slice(0, 9), content.slice(9)]
  const Parts = []
  for (const [n, Body] of pieces.entries()) {
    const part = { ...at, UploadId, PartNumber: n + 1 }
    const { ETag } = await client.send(new UploadPartCommand({ ...part, Body }))
    Parts.push({ ETag, PartNumber: n + 1 })
  }
  const whole = { ...at, UploadId, MultipartUpload: { Parts } }
  const { ETag } = await client.send(new CompleteMultipartUploadCommand(whole))
  expect(ETag).toMatch(/-2"$/)
}

test('a sold object that was sent in parts keeps its file under another key', async () => {
  const words = ['tidewater', 'saltmarsh', 'moonlight', 'lanterns!']
  for (const word of words) await sendInParts(`sold/${word}.txt`, `the bytes of ${word}`)
  const id = await app.connect({
    provider: 's3',
    endpoint: s3.location().endpoint,
    region: 'us-east-1',
    bucket: BUCKET,
    prefix: 'sold',
    access_key: CREDENTIALS.accessKeyId,
    secret_key: CREDENTIALS.secretAccessKey,
  })
  expect(await app.sync(id)).toMatchObject({ status: 'success', done: words.length })
  const before = await idsIn()
  for (const word of words) await app.map(before[`${word}.txt`]!)
  for (const word of words) {
    await sendInParts(`sold/2026/${word} (new).txt`, `the bytes of ${word}`)
    await client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: `sold/${word}.txt` }))
  }
  expect(await app.sync(id)).toMatchObject({ status: 'success', done: words.length })
  expect(await app.lastSync(id)).toMatchObject({ renamed: words.length, removed: 0, added: 0 })
  const after = await idsIn()
  for (const word of words) expect(after[`${word} (new).txt`]).toBe(before[`${word}.txt`])
  expect((await app.get(`/api/files/${after['tidewater (new).txt']}`)).mappings).toHaveLength(1)
  expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })
})

/** Both take one way: the reason why there is no hash is not looked at. */
const KINDS = ['parts', 'kms'] as const

describe('without an MD5', () => {
  test.each(someOf(KINDS, (kind) => kind === 'parts'))(
    'a moved folder is moved, and what was changed too is deleted and new (%s)',
    async (kind) => {
      const count = sized(12, 1000)
      const folder = `folder-${kind}`
      for (let n = 0; n < count; n++)
        put(kind, `${folder}/a/${kind} ${n}.txt`, `${kind} ${String(n).padStart(4, '0')}`)
      const id = await app.connect({ ...bucket.connection(folder), auto_map: false })
      expect(await app.sync(id)).toMatchObject({ status: 'success', done: count })
      const before = await idsIn()
      for (let n = 0; n < count; n++)
        move(`${folder}/a/${kind} ${n}.txt`, `${folder}/b/${kind} ${n}.txt`, HASHES[kind]('again'))
      // Of the same size as before, and of another one.
      put(kind, `${folder}/b/${kind} 1.txt`, `${kind} 8888`)
      put(kind, `${folder}/b/${kind} 2.txt`, 'longer than it was')
      const preview = await app.sync(id, { dry_run: true })
      expect(await app.lastSync(id)).toMatchObject({ renamed: count - 2, removed: 2, added: 2 })
      await app.owner.call('POST', `/api/operations/${preview.id}/confirm`)
      expect(await untilEndedOrPreview(app, preview.id)).toMatchObject({ status: 'success' })
      const after = await idsIn()
      expect(after[`${kind} 0.txt`]).toBe(before[`${kind} 0.txt`])
      expect(after[`${kind} 1.txt`]).not.toBe(before[`${kind} 1.txt`])
      expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })
    },
  )

  test.each(soakCases(KINDS))(
    'files of equal bytes keep their names’ files, and a swap changes nothing (%s)',
    async (kind) => {
      const folder = `equal-${kind}`
      for (const name of ['one', 'two', 'six'])
        put(kind, `${folder}/a/${name} ${kind}.txt`, 'equal')
      const id = await app.connect({ ...bucket.connection(folder), auto_map: false })
      await app.sync(id)
      const before = await idsIn()
      for (const name of ['one', 'two', 'six'])
        move(`${folder}/a/${name} ${kind}.txt`, `${folder}/b/${name} ${kind}.txt`)
      expect(await app.sync(id)).toMatchObject({ status: 'success', done: 3 })
      expect(await app.lastSync(id)).toMatchObject({ renamed: 3, removed: 0, added: 0 })
      expect(await idsIn()).toEqual(before)
    },
  )

  test.each(soakCases(KINDS))(
    'a file stays while the new object cannot be read, and is moved afterwards (%s)',
    async (kind) => {
      const folder = `unread-${kind}`
      for (let n = 0; n < 12; n++) put(kind, `${folder}/${n} ${folder}.txt`, `unread ${10 + n}`)
      const id = await app.connect({ ...bucket.connection(folder), auto_map: false })
      await app.sync(id)
      const before = await idsIn()
      const [from, to] = [`${folder}/3 ${folder}.txt`, `${folder}/archive/3 ${folder}.txt`]
      move(from, to, HASHES[kind]('unread 13'))
      bucket.intercept = ({ method, key }) =>
        method === 'GET' && key.includes('/archive/')
          ? { status: 403, code: 'InvalidObjectState' }
          : null
      const held = await app.sync(id)
      expect(held).toMatchObject({
        done: 0,
        failed: 1,
        warnings: expect.arrayContaining([expect.objectContaining({ code: 'cloud_not_compared' })]),
      })
      expect(await app.lastSync(id)).toMatchObject({ removed: 0, added: 0 })
      expect(await idsIn()).toEqual(before)
      expect((await app.get(`/api/connections/${id}/rejections`)).data).toMatchObject([
        { code: 'cloud_archived' },
      ])
      // The object is known as unreadable: the file stays nevertheless.
      expect(await app.sync(id)).toMatchObject({ total: 0 })
      bucket.intercept = () => null
      expect(await app.sync(id)).toMatchObject({ status: 'success', done: 1 })
      expect(await app.lastSync(id)).toMatchObject({ renamed: 1, removed: 0, added: 0 })
      expect(await idsIn()).toEqual(before)
    },
  )
})

/** Connects a folder of a provider whose lists state no hash. */
const CONNECT = {
  google_cloud_storage: (prefix: string) => ({ bucket: 'harbour', prefix, service_account: KEY }),
  onedrive: (folder: string) => ({ folder }),
}

test.each(soakCases(['google_cloud_storage', 'onedrive'] as const))(
  '%s lists no hash: a moved file keeps its record',
  async (provider) => {
    const folder = `moved-${provider.replaceAll('_', '-')}`
    clouds.refresh = 'refresh-canary-1'
    for (let n = 0; n < 6; n++) {
      clouds.put(`${folder}/${n} ${folder}.txt`, `${provider} ${n}`)
      clouds.files.at(-1)!.unhashed = true
    }
    const id = await app.connect({ provider, auto_map: false, ...CONNECT[provider](folder) })
    if (provider === 'onedrive') await app.authorize(id)
    expect(await app.sync(id)).toMatchObject({ status: 'success', done: 6 })
    const before = await idsIn()
    for (const file of clouds.files)
      if (file.path === `${folder}/4 ${folder}.txt`) file.path = `${folder}/sub/four ${folder}.txt`
    expect(await app.sync(id)).toMatchObject({ status: 'success', done: 1 })
    expect(await app.lastSync(id)).toMatchObject({ renamed: 1, removed: 0, added: 0 })
    expect((await idsIn())[`four ${folder}.txt`]).toBe(before[`4 ${folder}.txt`])
  },
)
