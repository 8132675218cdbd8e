// The template of translations: every text of the page, and every fixed text of the server that the
// page shows. After a text has changed, run `npm run messages`; then web/shell/messages/catalogs.test.ts
// names the missing translations.
import path from 'node:path'
import { expect, test } from 'vitest'
import { messagesIn } from '../../lint/messages.js'
import { openTestApp } from '../../test/app.ts'
import { mapTexts } from '../../web/shell/messages/map-texts.ts'
import { ERRORS } from '../core/errors.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const FILE = path.join(ROOT, 'web/shell/messages/en.json')

test('web/shell/messages/en.json lists every text', async () => {
  const app = await openTestApp()
  try {
    const get = async (address: string) => (await app.owner.call('GET', address)).body as object
    const served = new Set(Object.values(ERRORS).map(({ message }) => message as string))
    const records = [await get('/api/plugins'), await get('/api/channels')]
    const { providers } = (await get('/api/cloud')) as Cloud
    records.push(providers.map(({ title, presets, fields }) => ({ title, presets, fields })))
    for (const record of [...records, builtIn(await get('/api/workflows'))])
      mapTexts(record, (text) => {
        served.add(text)
        return text
      })
    const texts = new Set([...messagesIn(path.join(ROOT, 'web')).keys(), ...served])
    const catalog = Object.fromEntries(
      [...texts].toSorted().map((text) => [text, text.split(' || ')[0]]),
    )
    await expect(`${JSON.stringify(catalog, null, 2)}\n`).toMatchFileSnapshot(FILE)
  } finally {
    await app.close()
  }
})

/** Of what the installation lacks, the message names variables. */
interface Cloud {
  providers: { title: string; presets: object[]; fields: object[] }[]
}

interface Workflows {
  data: { built_in: boolean; name: string; steps: { title: string }[] }[]
}

/** Workflows of merchants have their own names. */
const builtIn = (list: object) =>
  (list as Workflows).data
    .filter((workflow) => workflow.built_in)
    .map(({ name, steps }) => ({ title: name, steps: steps.map(({ title }) => ({ title })) }))
