// `apply`: makes shops what a folder of files says.
import { type Command, type Context, type OpenShop } from './context.ts'
import { dataOf } from './errors.ts'
import { errorLines, EXIT, exitCodeOf, UsageError, type ExitCode } from './exit.ts'
import {
  hashOf,
  knownIn,
  readFiles,
  readState,
  writeState,
  type ConfigurationFile,
  type KnownDocuments,
} from './configuration-files.ts'
import { pooled } from './several.ts'
import { SHOP_OPTIONS } from './shops.ts'
import type { Schemas } from './paths.ts'

type Applied = Schemas['AppliedConfiguration']['data'][number]

/** How many shops are asked at a time. */
const AT_A_TIME = 4

export const applyCommand: Command = {
  about: 'make shops what a folder of files says',
  help: `stevedore apply FOLDER [options]

Shows in words what the files of a folder change, asks, and changes it: in the
shop of the key, or in all shops of a list. Each document is changed whole or
not at all. What no file names stays as it is.

  --dry-run      only shows it
  --yes          without asking
  --overwrite    also what somebody else has changed since the last pull; such
                 documents are otherwise left out (exit code 1)
  --shops FILE   NAME https://… KEY in each line, a file that others cannot
                 read (mode 0600)
  --shop NAME    only this shop of the list, or of an agency's key; may be
                 repeated
  --json         one JSON object a line

  stevedore apply ./shop --dry-run
  stevedore apply ./shop --shops shops.txt --yes`,
  options: {
    ...SHOP_OPTIONS,
    'dry-run': { type: 'boolean' },
    yes: { type: 'boolean' },
    overwrite: { type: 'boolean' },
  },
  run: async (context) => {
    const { given, values, terminal, signal, shops } = context
    const [folder] = given
    if (folder === undefined) throw new UsageError('Name a folder: stevedore apply ./shop')
    const files = await readFiles(folder)
    if (files.length === 0) throw new UsageError(`There is no YAML or JSON file in ${folder}`)
    const state = await readState(folder)
    const work = shops.map((shop) => new ShopWork(shop, files, state, values.overwrite === true))
    await pooled(AT_A_TIME, work, (one) => one.plan())
    for (const one of work) one.show(context)
    const changing = work.filter(({ changes }) => changes.length > 0)
    const count = changing.reduce((sum, { changes }) => sum + changes.length, 0)
    if (count > 0 && values['dry-run'] !== true) {
      if (!(await isWanted(context, count, changing.length))) {
        signal.throwIfAborted()
        terminal.note('Nothing was changed')
        return EXIT.all
      }
      await pooled(AT_A_TIME, changing, (one) => one.apply())
      for (const one of changing) one.showResult(context)
    }
    if (values['dry-run'] !== true) {
      const known = work.flatMap((one) => (one.id === null ? [] : [[one.id, one.known] as const]))
      await writeState(folder, { ...state, ...Object.fromEntries(known) })
    }
    return codeOf(work)
  },
}

async function isWanted(
  { terminal, values, signal }: Context,
  count: number,
  shops: number,
): Promise<boolean> {
  if (values.yes === true) return true
  const documents = count === 1 ? '1 document' : `${count} documents`
  const places = shops === 1 ? '' : ` in ${shops} shops`
  const answer = await terminal.confirm(`Change ${documents}${places}?`, signal)
  if (answer === null) throw new UsageError('Nobody can be asked here: give --yes, or --dry-run')
  return answer
}

/** The worst of all shops; several shops with different ends: some failed. */
function codeOf(work: readonly ShopWork[]): ExitCode {
  const codes = new Set(work.map(({ code }) => code))
  const [only] = codes
  return codes.size === 1 && only !== undefined ? only : EXIT.some
}

/** The documents of the folder in one shop. */
class ShopWork {
  /** Its installation and domain; null: not known yet. */
  id: string | null = null
  code: ExitCode = EXIT.all
  /** What would be changed, with the tag of what it replaces. */
  changes: Applied[] = []
  known: KnownDocuments = {}
  readonly #shop: OpenShop
  readonly #files: readonly ConfigurationFile[]
  readonly #state: Parameters<typeof knownIn>[0]
  readonly #overwrites: boolean
  #planned: readonly Applied[] = []
  #applied: readonly Applied[] = []
  #stale: ReadonlySet<string> = new Set()
  #error: unknown = null

  constructor(
    shop: OpenShop,
    files: readonly ConfigurationFile[],
    state: Parameters<typeof knownIn>[0],
    overwrites: boolean,
  ) {
    this.#shop = shop
    this.#files = files
    this.#state = state
    this.#overwrites = overwrites
  }

  /** Asks what would change. An error is shown later: other shops go on. */
  async plan(): Promise<void> {
    await this.#try(async () => {
      const documents = this.#files.map(({ file, text }) => ({ file, text }))
      const { shop, data } = dataOf(
        await this.#shop.client.POST('/api/configuration', {
          params: { query: { dry_run: true } },
          body: { documents },
        }),
      )
      this.id = `${this.#shop.url} ${shop}`
      this.known = knownIn(this.#state, this.id)
      this.#planned = data
      const differing = data.filter(({ status }) => status === 'created' || status === 'changed')
      this.#stale = new Set(
        this.#overwrites
          ? []
          : differing.filter((one) => this.#isStale(one)).map(({ file }) => file),
      )
      this.changes = differing.filter(({ file }) => !this.#stale.has(file))
      this.#note(data.filter(({ status }) => status === 'unchanged'))
      const isRefused = data.some(({ status }) => status === 'refused')
      if (isRefused || this.#stale.size > 0) this.code = EXIT.some
    })
  }

  /** Has somebody else changed it since the folder and the shop were equal? */
  #isStale({ file, tag_before }: Applied): boolean {
    const known = Object.hasOwn(this.known, file) ? this.known[file] : undefined
    return known !== undefined && known.tag !== tag_before
  }

  async apply(): Promise<void> {
    await this.#try(async () => {
      const tags = new Map(this.changes.map(({ file, tag_before }) => [file, tag_before]))
      const documents = this.#files.flatMap(({ file, text }) => {
        const known = tags.get(file)
        return known === undefined ? [] : [{ file, text, known }]
      })
      const { data } = dataOf(
        await this.#shop.client.POST('/api/configuration', { body: { documents } }),
      )
      this.#applied = data
      this.#note(data.filter(({ status }) => status !== 'refused'))
      if (data.some(({ status }) => status === 'refused')) this.code = EXIT.some
    })
  }

  /** The folder and the shop are equal in these documents. */
  #note(equal: readonly Applied[]): void {
    const texts = new Map(this.#files.map(({ file, text }) => [file, text]))
    const known = equal.flatMap(({ file, tag }) =>
      tag === null ? [] : [[file, { tag, hash: hashOf(texts.get(file) ?? '') }] as const],
    )
    this.known = { ...this.known, ...Object.fromEntries(known) }
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#error = error
      this.changes = []
      this.code = exitCodeOf(error)
    }
  }

  get #name(): string {
    return this.#shop.name ?? this.id?.split(' ')[1] ?? this.#shop.url
  }

  show({ terminal }: Context): void {
    if (this.#showError({ terminal })) return
    const unchanged = this.#planned.filter(({ status }) => status === 'unchanged').length
    const others = this.#planned.filter(({ status }) => status !== 'unchanged')
    terminal.line(
      others.length === 0
        ? `${this.#name}: nothing to change`
        : `${this.#name}: ${others.length} differ, ${unchanged} do not`,
    )
    for (const one of others) {
      const isStale = this.#stale.has(one.file)
      const word = isStale ? 'newer there' : WOULD[one.status]
      terminal.result(
        { event: 'planned', shop: this.#name, stale: isStale, ...one },
        `  ${word} ${one.file}`,
      )
      this.#showDetails({ terminal }, one)
      if (isStale)
        terminal.line('      It was changed in the shop since the last pull or apply: pull again')
    }
  }

  showResult({ terminal }: Context): void {
    if (this.#showError({ terminal })) return
    for (const one of this.#applied) {
      terminal.result(
        { event: 'applied', shop: this.#name, ...one },
        `${this.#name}: ${one.status.padEnd(9)} ${one.file}`,
      )
      if (one.error) this.#showDetails({ terminal }, one)
    }
  }

  #showDetails({ terminal }: Pick<Context, 'terminal'>, { differences, error, file }: Applied) {
    for (const { message } of differences) terminal.line(`      ${message}`)
    if (!error) return
    if (error.details.length === 0) terminal.line(`      ${error.message}`)
    for (const { line, param, message } of error.details)
      terminal.line(`      ${file}:${line ?? 1}${param === '' ? '' : ` ${param}`}: ${message}`)
  }

  #showError({ terminal }: Pick<Context, 'terminal'>): boolean {
    if (this.#error === null) return false
    const lines = errorLines(this.#error)
    terminal.result(
      { event: 'failed', shop: this.#name, message: lines[0] },
      `${this.#name}: ${lines.join('\n')}`,
    )
    return true
  }
}

const WOULD: Readonly<Record<string, string>> = {
  created: 'new        ',
  changed: 'changed    ',
  refused: 'refused    ',
}
