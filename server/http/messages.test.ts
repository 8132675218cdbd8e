// The templates of translations. A text that one feature of the page alone states is in the `texts`
// of its folder; the shell's en.json has all others, and every fixed text of the server that the page
// shows. After a text has changed, run `npm run messages`: it also prints how many texts each
// language lacks, and web/shell/messages/catalogs.test.ts names them.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { messagesIn } from '../../lint/messages.js'
import { openTestApp } from '../../test/app.ts'
import { capitalized } from '../../web/shell/labels/size.ts'
import { mapTexts } from '../../web/shell/messages/map-texts.ts'
import { ERRORS } from '../core/errors.ts'

const WEB = path.resolve(import.meta.dirname, '../../web')
const SERVER = ['server', 'plugins'].map((folder) => path.resolve(WEB, '..', folder))
const FEATURES = path.join(WEB, 'features')
const SERVER_FEATURES = path.resolve(WEB, '../server/features')
const SHELL = path.join(WEB, 'shell/messages/en.json')
const SHARED = path.join(WEB, 'shared-texts.json')

test('en.json of the shell and of each feature list every text', async () => {
  const served = await servedTexts()
  const texts = new Map<string, Set<string>>([[SHELL, new Set(served)]])
  for (const feature of readdirSync(FEATURES))
    texts.set(path.join(FEATURES, feature, 'texts/en.json'), new Set())
  const [page, ...server] = [messagesIn(WEB), ...said()]
  for (const [text, places] of merged([page!, ...server]))
    if (!served.has(text)) texts.get(catalogOf(places))!.add(text)
  const sent = new Set([...served, ...server.flatMap((one) => [...one.keys()])])
  const shared = [...page!.keys()].filter((text) => sent.has(text)).toSorted()
  await expect(`${JSON.stringify(shared, null, 2)}\n`).toMatchFileSnapshot(SHARED)
  for (const [file, own] of texts)
    if (own.size > 0) await expect(templateOf(own)).toMatchFileSnapshot(file)
    else expect(existsSync(file)).toBe(false)
})

function merged(found: readonly Map<string, string[]>[]): Map<string, string[]> {
  const all = new Map<string, string[]>()
  for (const [text, places] of found.flatMap((one) => [...one]))
    all.set(text, [...(all.get(text) ?? []), ...places])
  return all
}

/** The template that has a text which these places state: that of one feature, or the shell's. */
function catalogOf(places: readonly string[]): string {
  const [feature, ...others] = new Set(places.map(featureOf))
  return feature && others.length === 0 ? path.join(FEATURES, feature, 'texts/en.json') : SHELL
}

/** The feature of the page to which a place on either side belongs, or null. */
function featureOf(place: string): string | null {
  const folder = [FEATURES, SERVER_FEATURES].find((one) => place.startsWith(`${one}${path.sep}`))
  const [feature] = folder ? path.relative(folder, place).split(path.sep) : []
  return feature && existsSync(path.join(FEATURES, feature)) ? feature : null
}

function templateOf(texts: ReadonlySet<string>): string {
  const catalog = Object.fromEntries(
    [...texts].toSorted().map((text) => [text, text.split(' || ')[0]]),
  )
  return `${JSON.stringify(catalog, null, 2)}\n`
}

/** The fixed texts of the server that the page shows. */
async function servedTexts(): Promise<Set<string>> {
  const app = await openTestApp()
  try {
    const get = async (address: string) => (await app.owner.call('GET', address)).body as object
    const served = new Set(Object.values(ERRORS).map(({ message }) => message as string))
    const records = [await get('/api/plugins'), await get('/api/channels')]
    for (const { labels } of actionsIn(records[0])) served.add(capitalized(labels.result))
    const { providers } = (await get('/api/cloud')) as Cloud
    records.push(providers.map(({ title, presets, fields }) => ({ title, presets, fields })))
    for (const record of [...records, builtIn(await get('/api/workflows'))])
      mapTexts(record, (text) => {
        served.add(text)
        return text
      })
    return served
  } finally {
    await app.close()
  }
}

const TEMPLATES = path.join(WEB, '../server/features/mail/templates')
const SAY = /\{\{say\s+(?:'([^']*)'|"([^"]*)")/g

/** The messages of the server: those of `say()` in its code and in the templates of its mails. */
function said(): Map<string, string[]>[] {
  const inMails = readdirSync(TEMPLATES).flatMap((file) =>
    [...readFileSync(path.join(TEMPLATES, file), 'utf8').matchAll(SAY)].map(
      ([, single, double]): [string, string[]] => [single ?? double ?? '', [file]],
    ),
  )
  return [
    ...SERVER.map((folder) => messagesIn(folder, ['say', 'sayPlain', 'sayFixed'])),
    new Map(inMails),
  ]
}

interface Actions {
  data: { actions: { labels: { result: string } }[] }[]
}

/** Mails have the results of actions as labels too. */
const actionsIn = (list: object | undefined) =>
  (list as Actions).data.flatMap(({ actions }) => actions)

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
