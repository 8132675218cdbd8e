// Translations are complete: those of the shell and of each feature have every message of the en.json
// beside them, with the same arguments and tags, and with the plural forms of their language.
import { IntlMessageFormat } from 'intl-messageformat'
import { describe, expect, test } from 'vitest'
import { CATALOG_FILES as FILES, missingTexts } from '../../../test/texts.ts'
import { TRANSLATED } from './locale.ts'

const TEMPLATES = Object.keys(FILES).filter((file) => file.endsWith('/en.json'))

/** The types of parsed message elements. */
const ARGUMENT = 1
const NUMBER = 2
const SELECT = 5
const PLURAL = 6
const POUND = 7
const TAG = 8

interface Part {
  type: number
  value?: string
  options?: Record<string, { value: Part[] }>
  children?: Part[]
}

interface Said {
  /** Arguments that appear in the text. */
  shown: Set<string>
  /** Those in the text, and arguments that only select one. */
  used: Set<string>
  tags: Set<string>
  plurals: string[]
}

function read(message: string, language: string): Said {
  const said: Said = { shown: new Set(), used: new Set(), tags: new Set(), plurals: [] }
  const options = { ignoreTag: !message.includes('<link>') }
  const walk = (parts: readonly Part[], counted: string) => {
    for (const { type, value = '', options: choices = {}, children } of parts) {
      if (type === POUND) said.shown.add(counted)
      if (type === ARGUMENT || type === NUMBER) said.shown.add(value)
      if ([ARGUMENT, NUMBER, SELECT, PLURAL].includes(type)) said.used.add(value)
      if (type === PLURAL) said.plurals.push(...Object.keys(choices))
      if (type === TAG) said.tags.add(value)
      if (children) walk(children, counted)
      for (const choice of Object.values(choices))
        walk(choice.value, type === PLURAL ? value : counted)
    }
  }
  const format = new IntlMessageFormat(message, language, undefined, options)
  walk(format.getAst() as unknown as Part[], '')
  return said
}

test('no text is in two catalogs', () => {
  const texts = TEMPLATES.flatMap((file) => Object.keys(FILES[file]!))
  expect(texts.length).toBeGreaterThan(1000)
  expect(texts.filter((text, at) => texts.indexOf(text) < at)).toEqual([])
})

test('no text names an environment variable: merchants cannot set one', () => {
  const texts = Object.entries(FILES).flatMap(([file, catalog]) =>
    Object.values(catalog!).map((text) => `${file}: ${text}`),
  )
  expect(texts.filter((text) => /\b[A-Z][A-Z\d]*_[A-Z\d_]+\b/.test(text))).toEqual([])
})

test('missing texts are counted in each catalog', () => {
  const en = { 'a/en.json': { Add: 'Add', Save: 'Save' }, 'b/en.json': { Stop: 'Stop' } }
  const fr = { 'a/fr.json': { Add: 'Ajouter' } }
  expect(missingTexts('fr', { ...en, ...fr })).toEqual({
    'a/fr.json': ['Save'],
    'b/fr.json': ['Stop'],
  })
})

describe.each(
  TEMPLATES.flatMap((file) =>
    TRANSLATED.map((language) => [file.replace('en.json', ''), language]),
  ),
)('%s%s', (folder, language) => {
  const en = FILES[`${folder}en.json`]!
  const catalog = FILES[`${folder}${language}.json`] ?? {}
  const messages = Object.entries(catalog)

  test('has every message, and no other', () => {
    const missing = Object.keys(en).filter((message) => !(message in catalog))
    const unused = Object.keys(catalog).filter((message) => !(message in en))
    expect({ missing, unused }).toEqual({ missing: [], unused: [] })
  })

  test('shows the same arguments and tags', () => {
    const wrong = messages.flatMap(([message, translation]) => {
      const source = read(message, 'en')
      const target = read(translation, language)
      const lost = [...source.shown].filter((name) => !target.used.has(name))
      const invented = [...target.used].filter((name) => !source.used.has(name))
      const tags = [...source.tags, ...target.tags].filter(
        (tag) => !(source.tags.has(tag) && target.tags.has(tag)),
      )
      const found = [...lost, ...invented, ...tags]
      return found.length === 0 ? [] : [`${message}: ${found.join(', ')}`]
    })
    expect(wrong).toEqual([])
  })

  test('has the plural forms of its language', () => {
    const { pluralCategories } = new Intl.PluralRules(language, {
      type: 'cardinal',
    }).resolvedOptions()
    const wrong = messages.filter(([, translation]) =>
      read(translation, language).plurals.some(
        (form) => !/^=\d+$/.test(form) && !(pluralCategories as string[]).includes(form),
      ),
    )
    expect(wrong).toEqual([])
  })
})
