// `pull`: writes the configuration of a shop as files.
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Command, type Context } from './context.ts'
import { dataOf } from './errors.ts'
import { EXIT, UsageError, type ExitCode } from './exit.ts'
import {
  hashOf,
  isPlainPath,
  knownIn,
  readFiles,
  readState,
  writeState,
  writeTo,
  type KnownDocument,
} from './configuration-files.ts'
import { SHOP_OPTIONS } from './shops.ts'
import type { Schemas } from './paths.ts'

type Document = Schemas['Configuration']['data'][number]

export const pullCommand: Command = {
  about: 'write the configuration of a shop as files',
  help: `stevedore pull FOLDER [options]

Writes workflows, scheduled tasks, rules of products, the settings of the drop
folder and of mail, the texts of mails, saved CSV mappings and templates of
tags as YAML files, with names in place of ids and without secrets. A file that
you changed since the last pull is kept.

  --force        overwrites such files
  --shops FILE   the shop is in a list: NAME https://… KEY in each line, a
                 file that others cannot read (mode 0600)
  --shop NAME    the shop of the list, or of an agency's key
  --json         one JSON object a line

FOLDER/.stevedore.json remembers the state of the shop, so that apply can tell
when somebody else has changed it. Keep it with the files.

  stevedore pull ./shop`,
  options: { ...SHOP_OPTIONS, force: { type: 'boolean' } },
  run: async (context) => {
    const { given, shops } = context
    const [folder] = given
    if (folder === undefined) throw new UsageError('Name a folder: stevedore pull ./shop')
    const [shop, other] = shops
    if (!shop || other) throw new UsageError('A folder is of one shop: name it with --shop NAME')
    const { client, url } = shop
    const { shop: domain, data, left_out } = dataOf(await client.GET('/api/configuration'))
    const wrong = data.find(({ file }) => !isPlainPath(file))
    if (wrong) throw new UsageError(`${url} names a file that cannot be written: ${wrong.file}`)
    for (const kind of left_out)
      context.terminal.note(`Left out, because the key may not read it: ${kind}`)
    return writeAll(context, folder, `${url} ${domain}`, data)
  },
}

async function writeAll(
  context: Context,
  folder: string,
  shop: string,
  documents: readonly Document[],
): Promise<ExitCode> {
  const { terminal, values } = context
  await mkdir(folder, { recursive: true })
  const state = await readState(folder)
  const known = knownIn(state, shop)
  const now: Record<string, KnownDocument> = {}
  let kept = 0
  for (const { file, text, tag } of documents) {
    const old = await readFile(path.join(folder, file), 'utf8').catch(() => null)
    const hash = hashOf(text)
    const before = Object.hasOwn(known, file) ? known[file] : undefined
    // It is written in another way, or has comments.
    if (old !== null && before?.tag === tag && before.hash === hashOf(old)) {
      now[file] = before
      continue
    }
    const isOwn = old !== null && old !== text && hashOf(old) !== before?.hash
    if (isOwn && values.force !== true) {
      kept++
      if (before) now[file] = before
      terminal.result({ event: 'kept', file }, `kept       ${file}: you changed it`)
      continue
    }
    now[file] = { tag, hash }
    if (old === text) continue
    await writeTo(folder, { file, text })
    terminal.result({ event: 'written', file }, `written    ${file}`)
  }
  const names = new Set(documents.map(({ file }) => file))
  for (const { file } of await readFiles(folder))
    if (!names.has(file))
      terminal.result(
        { event: 'unknown', file },
        `not there  ${file}: the shop has no such document`,
      )
  await writeState(folder, { ...state, [shop]: now })
  terminal.line(`${documents.length} documents in ${folder}`)
  if (kept > 0) terminal.note('--force overwrites the files that you changed')
  return kept > 0 ? EXIT.some : EXIT.all
}
