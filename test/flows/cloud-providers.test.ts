// The other providers, with the real rclone and their own endpoints: Google Drive, Dropbox,
// OneDrive, Google Cloud Storage and Azure.
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { openCloudApp, untilEndedOrPreview, useClouds } from '../cloud.ts'
import { startAzureBlob } from '../fakes/azure-blob.ts'
import { agree } from '../fakes/clouds/tokens.ts'
import { soakCases, soakTest, someOf } from '../scale.ts'

const { app, clouds } = await useClouds()
const { call } = app.owner

/** Creates a connection and signs in. */
async function signedIn(provider: string, folder: string, fields: object = {}): Promise<string> {
  clouds.refresh = 'refresh-canary-1'
  const id = await app.connect({ provider, folder, ...fields })
  expect(await app.authorize(id)).toMatchObject({ state: 'ready' })
  return id
}

// How one provider signs in and lists is another one's, except for the settings of rclone.
describe.each(
  someOf(['google_drive', 'dropbox', 'onedrive'], (provider) => provider === 'google_drive'),
)('%s', (provider) => {
  const folder = provider.replace('_', '-')

  test('signs in, lists in pages, and syncs with tokens that change', async () => {
    for (const name of ['one.txt', 'two.txt', 'three.txt', 'sub/four.txt', 'sub/Five é.txt'])
      clouds.put(`${folder}/${name.replace('.txt', ` ${folder}.txt`)}`, `${name} of ${folder}`)
    const id = await signedIn(provider, folder)
    const folders = await app.get(`/api/connections/${id}/folders?path=${folder}`)
    expect(folders.data).toEqual([{ name: 'sub', path: `${folder}/sub` }])
    expect(await app.sync(id)).toMatchObject({ status: 'success', total: 5, done: 5 })
    expect((await app.files())[`one ${folder}.txt`].size_bytes).toBe(`one.txt of ${folder}`.length)
    clouds.put(`${folder}/one ${folder}.txt`, 'changed')
    // The current access tokens are refused before they expire.
    clouds.tokens.clear()
    expect(await app.sync(id)).toMatchObject({ status: 'success', total: 1, done: 1 })
  })

  soakTest('gets another token when the provider refuses the one it has in mid-sync', async () => {
    const inside = `${folder}-tokens`
    for (let n = 0; n < 6; n++) clouds.put(`${inside}/token ${n} ${folder}.txt`, `token ${n}`)
    const id = await signedIn(provider, inside)
    let read = 0
    clouds.intercept = ({ path }) => {
      // After the third file all access tokens are refused.
      if (/\/(content|download)$|\/files\/[^/]+$/.test(path) && ++read === 4) clouds.tokens.clear()
      return null
    }
    const sync = await app.sync(id)
    clouds.intercept = () => null
    expect(sync).toMatchObject({ status: 'success', total: 6, done: 6, failed: 0 })
    expect(read).toBeGreaterThan(6)
    expect(await app.get(`/api/connections/${id}`)).toMatchObject({ state: 'ready', error: null })
  })

  soakTest(
    'says that access was revoked in mid-sync, and continues once it is authorized',
    async () => {
      const inside = `${folder}-revoked`
      for (let n = 0; n < 6; n++) clouds.put(`${inside}/revoked ${n} ${folder}.txt`, `revoked ${n}`)
      const id = await signedIn(provider, inside)
      let read = 0
      clouds.intercept = ({ path }) => {
        if (/\/(content|download)$|\/files\/[^/]+$/.test(path) && ++read === 3) {
          clouds.tokens.clear()
          clouds.refresh = null
        }
        return null
      }
      const sync = await app.sync(id)
      clouds.intercept = () => null
      expect(sync.failed).toBeGreaterThan(0)
      expect(await app.get(`/api/connections/${id}`)).toMatchObject({
        state: 'unauthorized',
        error: { code: 'cloud_access_revoked' },
      })
      clouds.refresh = 'refresh-canary-5'
      await app.authorize(id)
      await call('POST', `/api/operations/${sync.id}/retry`)
      expect(await untilEndedOrPreview(app, sync.id)).toMatchObject({
        status: 'success',
        done: 6,
        failed: 0,
      })
    },
  )

  soakTest('says that access was revoked, and is authorized again', async () => {
    clouds.put(`${folder}-gone/gone ${folder}.txt`, 'gone')
    const id = await signedIn(provider, `${folder}-gone`)
    clouds.refresh = null
    clouds.tokens.clear()
    expect(await app.sync(id)).toMatchObject({ status: 'failed' })
    expect(await app.get(`/api/connections/${id}`)).toMatchObject({
      state: 'unauthorized',
      error: { code: 'cloud_access_revoked' },
    })
    const { name } = await app.get(`/api/connections/${id}`)
    const notices = async () =>
      (await app.get('/api/notices')).data.filter(
        ({ title, read_at }: { title: string; read_at: string | null }) =>
          title === `“${name}” lost its access` && read_at === null,
      )
    expect(await notices()).toHaveLength(1)
    expect((await call('POST', `/api/connections/${id}/sync`, {})).status).toBe(409)
    clouds.refresh = 'refresh-canary-7'
    expect(await app.authorize(id)).toMatchObject({ state: 'ready', error: null })
    expect(await notices()).toEqual([])
    expect(await app.sync(id)).toMatchObject({ status: 'success', done: 1 })
  })
})

test.each(soakCases(['dropbox', 'onedrive']))(
  '%s: a name that changes only its case keeps its file',
  async (provider) => {
    const folder = `case-${provider}`
    for (const name of ['Plan', 'Été', 'other 1', 'other 2', 'other 3', 'other 4', 'other 5'])
      clouds.put(`${folder}/${name} ${provider}.txt`, name)
    const id = await signedIn(provider, folder)
    expect(await app.sync(id)).toMatchObject({ status: 'success', done: 7 })
    const before = await app.files()
    for (const file of clouds.files)
      file.path = file.path.replace(/(Plan|Été)(?= )/, (name) => name.toLocaleUpperCase())
    const moved = await app.sync(id)
    expect(moved).toMatchObject({ status: 'success', total: 2, done: 2 })
    const after = await app.files()
    for (const name of ['Plan', 'Été'])
      expect(after[`${name.toLocaleUpperCase()} ${provider}.txt`].id).toBe(
        before[`${name} ${provider}.txt`].id,
      )
  },
)

soakTest('a SharePoint library is read instead of the person’s own drive', async () => {
  clouds.put('library/manual of the library.txt', 'manual')
  clouds.put('library/sub/plan of the library.txt', 'plan')
  const settings = { drive_id: 'b!library_1-x', drive_type: 'documentLibrary' }
  const id = await signedIn('onedrive', 'library', settings)
  expect((await app.get(`/api/connections/${id}`)).settings).toMatchObject(settings)
  clouds.requests.length = 0
  expect(await app.sync(id)).toMatchObject({ status: 'success', total: 2, done: 2 })
  const drives = clouds.requests
    .map((request) => /\/drives\/([^/]+)/.exec(decodeURIComponent(request))?.[1])
    .filter((drive) => drive !== undefined)
  expect(new Set(drives)).toEqual(new Set([settings.drive_id]))
})

soakTest(
  'a SharePoint document whose listed size is not that of its bytes is imported once',
  async () => {
    clouds.put('office/plan of the office.txt', 'the bytes as they are delivered')
    clouds.files.find(({ path }) => path.startsWith('office/'))!.listedSize = 12
    const id = await signedIn('onedrive', 'office', { drive_id: 'b!office_1-x' })
    expect(await app.sync(id)).toMatchObject({ status: 'success', total: 1, done: 1 })
    expect((await app.files())['plan of the office.txt'].size_bytes).toBe(31)
    expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })
  },
)

describe('signing in', () => {
  test('is completed once, in the session and shop that began it', async () => {
    const id = await app.connect({ provider: 'dropbox' })
    const { body } = await call('POST', `/api/connections/${id}/authorize`)
    const given = agree(body.url)
    expect(new URL(body.url).searchParams.get('redirect_uri')).toMatch(/\/cloud\/callback$/)
    const route = `/api/connections/${id}/authorized`
    const stranger = await app.stranger('other.myshopify.com')
    expect((await stranger.call('POST', route, given)).status).toBe(404)
    const colleague = await app.clientWith(['cloud:write'])
    expect((await colleague.call('POST', route, { ...given, state: 'made-up' })).status).toBe(409)
    expect((await call('POST', route, given)).status).toBe(200)
    expect((await call('POST', route, given)).status).toBe(409)
  })

  test('requires the operator’s app, which the list of providers says', async () => {
    const plain = await openCloudApp()
    try {
      const { providers } = await plain.get('/api/cloud')
      const drive = providers.find(({ id }: { id: string }) => id === 'google_drive')
      expect(drive).toMatchObject({
        available: false,
        message:
          'Google Drive cannot be connected yet: the operator of this app has to set it up first',
      })
      const { status } = await plain.owner.call('POST', '/api/connections', {
        provider: 'google_drive',
      })
      expect(status).toBe(422)
    } finally {
      await plain.close()
    }
  })
})

soakTest(
  'two files of one name in Google Drive are reported, and neither is imported',
  async () => {
    const file = (content: string) => ({
      path: 'twins/same.txt',
      content: Buffer.from(content),
      modified: new Date(),
    })
    clouds.files.push(file('first'), file('second'))
    clouds.put('twins/other.txt', 'other')
    const id = await signedIn('google_drive', 'twins')
    const sync = await app.sync(id)
    expect(sync).toMatchObject({ status: 'partial', done: 1, failed: 1 })
    const { data } = await app.get(`/api/operations/${sync.id}/items?status=failed`)
    expect(data).toMatchObject([{ filename: 'same.txt', error: { code: 'cloud_duplicate_name' } }])
  },
)

soakTest('Google Cloud Storage is read with a service account’s key', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = {
    type: 'service_account',
    client_email: 'sync@harbour.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: 'http://127.0.0.1:1/elsewhere',
  }
  for (const name of ['a', 'b', 'c']) clouds.put(`gcs/${name} of gcs.txt`, name)
  const id = await app.connect({
    provider: 'google_cloud_storage',
    bucket: 'harbour',
    prefix: 'gcs',
    service_account: JSON.stringify(key),
  })
  expect(await app.sync(id)).toMatchObject({ status: 'success', total: 3, done: 3 })
  expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })
})

soakTest(
  'a provider that fails temporarily is retried, and nothing is deleted meanwhile',
  async () => {
    clouds.put('late/early.txt', 'early')
    const id = await signedIn('google_drive', 'late')
    await app.sync(id)
    clouds.put('late/late.txt', 'late')
    let failures = 0
    clouds.intercept = ({ path }) =>
      path === '/drive/v3/files' && failures++ < 3
        ? {
            status: failures === 2 ? 429 : 503,
            body: { error: { code: 503 } },
            headers: { 'retry-after': '1' },
          }
        : null
    const sync = await app.sync(id)
    clouds.intercept = () => null
    expect(sync).toMatchObject({ status: 'success', total: 1, done: 1 })
  },
)

soakTest('Azure Blob Storage is read with an account key', async () => {
  const account = 'harbour1'
  const key = Buffer.from('the key of an account, canary').toString('base64')
  const azure = await startAzureBlob({ account, key, certificate: clouds.certificate })
  clouds.lead(`${account}.blob.core.windows.net`, azure.port)
  try {
    const given = { provider: 'azure_blob', account, bucket: 'harbour', secret_key: key }
    azure.put('manuals/one azure.txt', 'one')
    azure.put('manuals/sub/two azure.txt', 'two')
    const id = await app.connect({ ...given, prefix: 'manuals' })
    expect(await app.sync(id)).toMatchObject({ status: 'success', total: 2, done: 2 })
    expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })
    const wrong = Buffer.from('another key').toString('base64')
    const refused = await call('POST', '/api/connections', { ...given, secret_key: wrong })
    expect(refused.body.error).toMatchObject({ code: 'cloud_access_denied', param: 'secret_key' })
  } finally {
    await azure.close()
  }
})
