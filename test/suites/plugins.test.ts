// Every plugin in app.config.ts must run the shared suite in its own tests.
import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { appConfig } from '../../app.config.ts'

const PLUGINS = path.resolve(import.meta.dirname, '../../plugins')
const { plugins } = appConfig({})

test.each(plugins.map((plugin) => [plugin.id, plugin] as const))(
  'the shared suite runs over %s, in its own folder',
  async (id, plugin) => {
    const module = (await import(path.join(PLUGINS, id, 'plugin.ts'))) as Record<string, unknown>
    const [name] = Object.entries(module).find(([, value]) => value === plugin) ?? []
    expect(name, `plugins/${id}/plugin.ts exports what app.config.ts lists`).toBeDefined()
    const cases = await readFile(path.join(PLUGINS, id, 'plugin.test.ts'), 'utf8')
    expect(cases).toContain(`pluginSuite(${name}, `)
  },
)

test('every folder of a plugin is listed', async () => {
  const folders = (await readdir(PLUGINS, { withFileTypes: true })).filter(
    // Folders with an underscore are shared by plugins.
    (entry) => entry.isDirectory() && !/^(?:_|contract$)/.test(entry.name),
  )
  expect(plugins.map(({ id }) => id).sort()).toEqual(folders.map(({ name }) => name).sort())
})
