// The admin page in other languages: a file is uploaded, tagged in bulk, and its operation found in
// the history, with the page's texts, number formats and component texts.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { DIST } from '../../server/http/page.ts'
import { startOrigin } from '../fakes/origin.ts'
import { type RunningServer } from '../flows/server.ts'
import { sized, soakTest } from '../scale.ts'
import { type Texts, textsIn } from '../texts.ts'
import { check, choose, filesBy, launched } from './dialogs.ts'
import { usePages } from './page-browser.ts'

let server: RunningServer
let folder: string

const open = usePages(startOrigin, async (world) => {
  server = world.server
  folder = await mkdtemp(path.join(tmpdir(), 'stevedore-languages-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const LANGUAGES = {
  de: {
    texts: textsIn('de'),
    browser: 'de-AT',
    selected: '1 ausgewählt',
    button: /^Tags (hinzufügen|ersetzen)$/,
    started: 'Tags von 1 Datei geändert',
  },
}

/** They only run in npm run test:soak: each covers the same path in one more language. */
const SOAK_LANGUAGES = {
  es: {
    texts: textsIn('es'),
    browser: 'es-MX',
    selected: 'Seleccionados: 1',
    button: /^(Agregar|Reemplazar) etiquetas$/,
    started: 'Etiquetas cambiadas de 1 archivo',
  },
  fr: {
    texts: textsIn('fr'),
    browser: 'fr-CA',
    selected: 'Sélection : 1',
    button: /^(Ajouter des|Remplacer les) balises$/,
    started: 'Balises de 1 fichier modifiées',
  },
  ja: {
    texts: textsIn('ja'),
    browser: 'ja-JP',
    selected: '1件を選択中',
    button: /^タグを(追加|置き換え)$/,
    started: '1件のファイルのタグを変更しました',
  },
  pt: {
    texts: textsIn('pt'),
    browser: 'pt-BR',
    selected: 'Selecionados: 1',
    button: /^(Adicionar|Substituir) tags$/,
    started: 'Tags de 1 arquivo alteradas',
  },
}

test.each(Object.entries({ ...LANGUAGES, ...SOAK_LANGUAGES }))(
  'every text in %s is in one of the files that the page loads',
  async (language, { texts }) => {
    const names = (await readdir(path.join(DIST, 'assets'))).filter((name) =>
      new RegExp(`^texts-[0-9a-f]+-${language}-.*\\.json$`).test(name),
    )
    const parts = await Promise.all(
      names.map(async (name) => {
        const part = JSON.parse(await readFile(path.join(DIST, 'assets', name), 'utf8')) as Texts
        return 'components' in part ? (part.texts as unknown as Texts) : part
      }),
    )
    const loaded = Object.assign({}, ...parts) as Texts
    expect(Object.keys(texts).filter((message) => loaded[message] !== texts[message])).toEqual([])
  },
)

test('the list of files loads the texts of the shell and its own first', async () => {
  // This page loads no texts, which would be counted as those of the next one.
  const page = await open('/healthz')
  const asked: string[] = []
  page.on('request', (request) => {
    const [, part] = /-de-(.*)\.json$/.exec(request.url()) ?? []
    if (part !== undefined) asked.push(part)
  })
  await page.goto(`${server.url}/files?locale=de`)
  await page.getByRole('heading', { name: LANGUAGES.de.texts['Files']! }).waitFor()
  expect(asked.slice(0, 2).toSorted()).toEqual(['_files', 'shell'])
})

const TESTED = sized(LANGUAGES, { ...LANGUAGES, ...SOAK_LANGUAGES })

describe.each(Object.entries(TESTED))('in %s', (language, { texts, ...expected }) => {
  const said = (message: string) => texts[message] ?? expect.fail(`No translation: ${message}`)
  const name = `Chart ${language}.pdf`

  soakTest('a file is uploaded, tagged in bulk and found in the history', async () => {
    // The browser's language is English: the address requests the language, and the tab remembers
    // it.
    const page = await open(`/import/upload?locale=${language}`, { locale: 'en-GB' })
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe(language)
    const file = path.join(folder, name)
    await writeFile(file, Buffer.alloc(2048, language))
    await page
      .getByLabel(said('Choose files'), { exact: true })
      .and(page.locator('input'))
      .setInputFiles(file)
    await page.getByText(said('Complete'), { exact: true }).first().waitFor()
    await expect.poll(async () => (await filesBy(server, name)).length).toBe(1)

    await page.goto(`${server.url}/files`)
    const label = said('Select {filename}').replace('{filename}', name)
    await check(page.getByRole('checkbox', { name: label }))
    await page.getByText(expected.selected).first().waitFor()
    const dialog = await choose(page, said('Change tags'), said('More actions'))
    await dialog.getByLabel(said('Tags'), { exact: true }).fill('Karte')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: expected.button }).click()
    await launched(page).getByText(expected.started).waitFor()
    expect((await filesBy(server, name))[0]!.tags).toContain('Karte')

    await page.getByRole('link', { name: said('Operations') }).click()
    await page.getByRole('heading', { name: said('Operations') }).waitFor()
    await page.getByText(said('Tag files')).first().waitFor()
    await page.getByRole('main').getByText(said('Upload')).first().waitFor()
    await page.getByText(said('Success')).first().waitFor()
    await expect.poll(() => page.getByText(/^(Success|Operations|Files|Settings)$/).count()).toBe(0)
  })

  test('the names of cloud providers and their fields are translated', async () => {
    const page = await open(`/import/connections/new?locale=${language}`)
    const providers = page.getByRole('list', { name: said('Providers') })
    for (const provider of ['OneDrive and SharePoint', 'Sample folder'])
      await providers.getByRole('heading', { name: said(provider) }).waitFor()
    const s3 = said('{action}: {what}')
      .replace('{action}', said('Connect'))
      .replace('{what}', said('Amazon S3 and compatible'))
    await providers.getByRole('button', { name: s3 }).click()
    await page.getByLabel(said('Secret key')).waitFor()
    await page.getByText(said('It is stored encrypted and not shown again.')).waitFor()
  })

  soakTest(
    'a browser that prefers the language gets it, with its number and date formats',
    async () => {
      const page = await open('/files', { locale: expected.browser })
      await page
        .getByRole('heading', { name: said('Files') })
        .first()
        .waitFor()
      const [file] = await filesBy(server, name)
      await page.goto(`${server.url}/files/${file!.id}`)
      const now = new Intl.DateTimeFormat(expected.browser, { dateStyle: 'medium' }).format(
        new Date(),
      )
      await page.getByText(now, { exact: false }).first().waitFor()
    },
  )
})
