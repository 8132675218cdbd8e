// Requirements of every channel that imports files: it is listed, its imports begin with the shop's
// settings, run the workflow that the shop attached or the built-in one, and are in the history
// under its name.
import { afterAll, describe, expect, it } from 'vitest'
import type { ImportChannel } from '../../server/features/workflows/channel.ts'
import type { Answer, TestApp } from '../app.ts'
import { soakTest, someOf } from '../scale.ts'

export interface ChannelWorld {
  /** With a worker. */
  app: TestApp
  /** Imports one file of this name by the channel; returns the operation once it has ended. */
  imported(filename: string): Promise<Answer['body']>
}

/**
 * `world` is called when the tests run. What every channel leaves to the same admission is in npm
 * test shown by those of which `whole` says so.
 */
export function channelSuite(
  channel: ImportChannel,
  world: () => ChannelWorld,
  { whole = true } = {},
): void {
  const { id } = channel
  const admitted = whole ? it : soakTest
  const call = (...request: Parameters<TestApp['owner']['call']>) =>
    world().app.owner.call(...request)
  const get = async (route: string) => (await call('GET', route)).body
  const set = async (settings: object) =>
    expect((await call('PATCH', '/api/settings', settings)).status).toBe(200)
  const fileNamed = async (filename: string) => {
    const { data } = await get(`/api/files?search=${encodeURIComponent(filename)}`)
    return get(`/api/files/${data[0].id}`)
  }
  const DEFAULTS = { expiry_days: 60, download_limit: 5, cdn: true, visibility: 'private' }

  describe(`imports by ${id}`, () => {
    afterAll(() => set(DEFAULTS))

    it('are listed among the channels, with a built-in workflow', async () => {
      const { data } = await get('/api/channels')
      expect(data).toContainEqual({ ...channel })
      expect(await get(`/api/workflows/import-${id}`)).toMatchObject({
        channel: id,
        kind: 'import',
        built_in: true,
      })
    })

    it('begin with the shop’s defaults', async () => {
      const own = { expiry_days: null, download_limit: 7, cdn: false, visibility: 'public' }
      for (const settings of someOf([DEFAULTS, own], (one) => whole || one === own)) {
        await set(settings)
        const filename = `${id} ${settings.visibility}.bin`
        await world().imported(filename)
        expect(await fileNamed(filename)).toMatchObject(settings)
      }
    })

    it('run the shop’s attached workflow', async () => {
      const builtIn = await get(`/api/workflows/import-${id}`)
      const own = {
        name: `Own ${id}`,
        kind: 'import',
        channel: id,
        steps: [
          { plugin: builtIn.steps[0].plugin },
          { plugin: 'validate-file' },
          { plugin: 'tag-files', options: { mode: 'add', tags: ['own way'] } },
        ],
      }
      const { body: made, status } = await call('POST', '/api/workflows', own)
      expect(status).toBe(201)
      expect(await world().imported(`${id} attached.bin`)).toMatchObject({
        workflow: made.id,
        status: 'success',
        channel: id,
      })
      expect(await fileNamed(`${id} attached.bin`)).toMatchObject({ tags: ['own way'] })
      expect((await call('DELETE', `/api/workflows/${made.id}`)).status).toBe(204)
      expect(await world().imported(`${id} detached.bin`)).toMatchObject({
        workflow: `import-${id}`,
      })
    })

    admitted('remove marks of direction from names', async () => {
      const operation = await world().imported(`\u2068${id} marked\u2069.bin\u200e`)
      expect(operation).toMatchObject({ status: 'success', done: 1 })
      const { data } = await get(`/api/files?search=${encodeURIComponent(`${id} marked`)}`)
      expect(data.map(({ filename }: { filename: string }) => filename)).toEqual([
        `${id} marked.bin`,
      ])
    })

    admitted('keep names that every object inherits', async () => {
      const names = Object.getOwnPropertyNames(Object.prototype)
      const filesNamed = async (name: string) =>
        (await get(`/api/files?search=${name}&limit=100`)).data.filter(
          ({ filename }: { filename: string }) => filename === name,
        )
      // The shop has each name once: a channel imports those that the ones before it left.
      const left: string[] = []
      for (const name of names) if ((await filesNamed(name)).length === 0) left.push(name)
      for (const name of left.slice(0, 2)) {
        expect(await world().imported(name)).toMatchObject({ status: 'success', done: 1 })
        expect(await filesNamed(name)).toMatchObject([{ size_bytes: 100 }])
      }
      expect((await call('GET', '/api/operations')).status).toBe(200)
    })

    admitted('are in the history under the channel, and in no other shop’s', async () => {
      const operation = await world().imported(`${id} history.bin`)
      const of = async (client: TestApp['owner']) =>
        (await client.call('GET', `/api/operations?channel=${id}&limit=100`)).body.data.map(
          (one: { id: string }) => one.id,
        )
      expect(await of(world().app.owner)).toContain(operation.id)
      expect(await of(await world().app.stranger(`${id}.myshopify.com`))).toEqual([])
    })
  })
}
