// Unpacks ZIP archives while they are imported: each file in them becomes an item of the import, and
// goes through its other steps. An archive inside another one stays a file.
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import {
  definePlugin,
  eachItem,
  extensionOf,
  packNameProblem,
  phrases,
  planEach,
  PortError,
  say,
  sayPlain,
  skuPrefixes,
  tagProblem,
  type AnyText,
  type Bytes,
  type Decision,
  type FileChange,
  type Item,
  type Sandbox,
  type SandboxLimits,
  type UnpackedFile,
  type Warning,
  type WorkFolder,
} from '../contract/index.ts'
import { chooseFiles, leftOut, leftOutWarnings, type ChosenFile, type NamedEntry } from './names.ts'
import { ANSWERS, type ListedEntry } from './tasks.ts'

const CONCURRENCY = 2
const SCRIPT = new URL('./child.ts', import.meta.url)
const LIMITS: Omit<SandboxLimits, 'wallMs'> = {
  memoryBytes: 512 * 1024 ** 2,
  fileBytes: 6 * 1024 ** 3,
  parallel: 2,
  uses: 50,
  idleMs: 2_000,
}
const WALL_MS = 60_000
/** A slow disk takes so many bytes in a second. */
const SLOW_BYTES = 10 * 1024 ** 2
/** So much of an archive is in the work folder at the same time, or one file. */
const PART = { bytes: 256 * 1024 ** 2, files: 200 }
const GIGABYTE = 1024 ** 3

const options = z.strictObject({
  into: z.enum(['files', 'pack']).default('files').meta({
    title: 'What comes of it',
    help: 'Pack: new files go into a pack with the name of the archive.',
  }),
  on_conflict: z.enum(['new_version', 'rename', 'skip', 'import']).default('new_version').meta({
    title: 'Names that are taken',
    help: 'New version: equal bytes change nothing. Rename: the new file gets a number. Import: as the import says.',
  }),
  folders: z.enum(['ignore', 'tag']).default('ignore').meta({
    title: 'Folders in the archive',
    help: 'Tag: each new file gets the name of its folder as a tag.',
  }),
  max_files: z.int().min(1).max(10_000).default(1000).meta({
    title: 'Files at most',
    help: 'An archive with more files fails.',
    suffix: 'files',
  }),
  max_bytes: z
    .int()
    .min(1)
    .max(100 * GIGABYTE)
    .default(10 * GIGABYTE)
    .meta({ title: 'Size of all its files at most', widget: 'bytes' }),
})
type Options = z.output<typeof options>

interface Ports {
  bytes: Bytes
  sandbox: Sandbox
  limits: { file_bytes: number }
  signal: AbortSignal
}

/**
 * Outcomes of archives carry `unpacked`. They fail with `zip_damaged`, `zip_encrypted`,
 * `zip_unsupported`, `zip_unsafe`, `zip_limit`, `zip_empty` and the limits of the sandbox.
 */
export const unpackZip = definePlugin({
  id: 'unpack-zip',
  kind: 'validate',
  title: 'Unpack ZIP archives',
  actions: [],
  options,
  undo: 'fields',
  needs: ['bytes', 'sandbox'],
  worksOn: 'imports',
  bytes: true,
  advice: {
    zip_damaged:
      'Make the archives again, or send them again: their transfer may have been cut off.',
    zip_encrypted: 'Send the archives without a password.',
    zip_unsupported: 'Pack the files with the method “Deflate”, which every program has.',
    zip_unsafe: 'Make the archives again, with paths that begin with a folder or a file.',
    zip_limit: 'Send the files in several archives, or allow more in the step of the workflow.',
    zip_empty: 'Send archives that contain files.',
  },
  summary: ({ into, folders }) =>
    phrases(
      into === 'pack'
        ? say('Each archive becomes a pack of its files')
        : say('Each archive becomes its files'),
      ...(folders === 'tag' ? [say('with the names of their folders as tags')] : []),
    ),
  plan: planEach((item): Decision => {
    const kept = keptFor(item)
    if (kept !== null) return asIs(item, kept)
    return { status: 'ok', unpacked: [] }
  }),
  run: (items, wanted, ports) =>
    eachItem(items, CONCURRENCY, ports.signal, async (item) => {
      const kept = keptFor(item)
      return kept === null ? await unpack(item, wanted, ports) : asIs(item, kept)
    }),
})

const asIs = ({ entry }: Item, reason: AnyText): Decision =>
  entry ? { status: 'ok' } : { status: 'ok', unchanged: reason }

/** Why an item is not unpacked; null: it is. */
function keptFor({ entry, file }: Item): AnyText | null {
  if (entry === null) return sayPlain('Archives are unpacked while they are imported')
  if (extensionOf(file.filename) !== 'zip') return sayPlain('It is no ZIP archive')
  if (entry.unpacked_from) return sayPlain('It came out of another archive')
  return entry.replaces === undefined
    ? null
    : sayPlain('It is the next version of a file, which is an archive')
}

function unpack(item: Item, wanted: Options, { bytes, ...ports }: Ports): Promise<Decision> {
  return bytes.withFile(
    item,
    async ({ path: archive, size_bytes, folder }) => {
      const { entries } = await ports.sandbox.run(SCRIPT, {
        input: { do: 'list', archive, most: wanted.max_files },
        answer: ANSWERS.list,
        limits: { ...LIMITS, wallMs: WALL_MS },
        signal: ports.signal,
      })
      const { named, warnings } = await withNames(entries, bytes)
      const { files, refused } = chooseFiles(named, ports.limits)
      requireSome(files, refused)
      requireSize(files, wanted)
      const unpacked: UnpackedFile[] = []
      for (const part of partsOf(files)) {
        const made = await extract(part, { archive, size_bytes, folder }, ports)
        for (const [at, one] of part.entries()) {
          const staged = await folder.stage(nameOf(at), null)
          await rm(path.join(made, nameOf(at)))
          unpacked.push({ ...describe(one, item, wanted), bytes: staged })
        }
      }
      const all = [...warnings, ...leftOutWarnings(refused)]
      return { status: 'ok', unpacked, ...(all.length > 0 ? { warnings: all } : {}) }
    },
    ports.signal,
  )
}

/** The entries with their paths as texts: those of unknown encodings are read together. */
async function withNames(
  entries: readonly ListedEntry[],
  bytes: Bytes,
): Promise<{ named: NamedEntry[]; warnings: Warning[] }> {
  const unread = entries.filter(({ base64 }) => base64)
  if (unread.length === 0) return { named: [...entries], warnings: [] }
  const given = unread.map((entry) => Buffer.from(entry.path, 'base64'))
  const { texts, encoding, sure } = await bytes.readTexts(given)
  const paths = new Map(unread.map(({ at }, index) => [at, texts[index] ?? '']))
  const warning = {
    code: 'names_guessed',
    message: say(
      'The archive does not say how its names are written: they were read as {encoding}. Look whether they are right',
      { encoding },
    ),
  }
  return {
    named: entries.map((entry) => ({ ...entry, path: paths.get(entry.at) ?? entry.path })),
    warnings: sure ? [] : [warning],
  }
}

/** Throws if nothing of the archive can be imported: with the reason of its first file. */
function requireSome(
  files: readonly ChosenFile[],
  refused: ReturnType<typeof chooseFiles>['refused'],
): void {
  if (files.length > 0) return
  const [first] = refused
  if (!first) throw new PortError('zip_empty', sayPlain('The ZIP archive has no files'), false)
  throw new PortError(first.code, sayPlain('No file of the ZIP archive can be imported'), false, {
    detail: leftOut(first).message,
  })
}

function requireSize(files: readonly ChosenFile[], { max_bytes }: Options): void {
  const bytes = files.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  if (bytes <= max_bytes) return
  throw new PortError(
    'zip_limit',
    say('The files of the ZIP archive have {size} MB: the step allows {most} MB', {
      size: Math.ceil(bytes / 1024 ** 2),
      most: Math.floor(max_bytes / 1024 ** 2),
    }),
    false,
  )
}

/** Parts of the archive that fit into the work folder. */
function partsOf(files: readonly ChosenFile[]): ChosenFile[][] {
  const parts: ChosenFile[][] = []
  let [part, bytes]: [ChosenFile[], number] = [[], 0]
  for (const file of files) {
    if (part.length === PART.files || (part.length > 0 && bytes + file.size_bytes > PART.bytes)) {
      parts.push(part)
      ;[part, bytes] = [[], 0]
    }
    part.push(file)
    bytes += file.size_bytes
  }
  return part.length > 0 ? [...parts, part] : parts
}

const nameOf = (at: number) => `out-${at}`

/** Writes the part into the work folder, and returns the folder's path. */
async function extract(
  part: readonly ChosenFile[],
  { archive, size_bytes, folder }: { archive: string; size_bytes: number; folder: WorkFolder },
  { sandbox, signal }: Omit<Ports, 'bytes'>,
): Promise<string> {
  const bytes = part.reduce((sum, file) => sum + file.size_bytes, 0)
  const files = part.map(({ at }, index) => ({ at, to: nameOf(index) }))
  await sandbox.run(SCRIPT, {
    input: { do: 'extract', archive, folder: folder.path, files },
    answer: ANSWERS.extract,
    limits: { ...LIMITS, wallMs: WALL_MS + (bytes / SLOW_BYTES) * 1000 },
    signal,
    within: {
      folder: folder.path,
      bytes: size_bytes + bytes + 1024 ** 2,
      tooMuch: new PortError(
        'zip_damaged',
        sayPlain('The files of the ZIP archive are larger than it says'),
        false,
      ),
    },
  })
  return folder.path
}

/** What becomes of a file of the archive: it has what the import said about the archive. */
function describe(
  { path: inside, filename, cleaned }: ChosenFile,
  { entry, file }: Item,
  { into, folders, on_conflict }: Options,
): Omit<UnpackedFile, 'bytes'> {
  const stem = file.filename.slice(0, file.filename.lastIndexOf('.'))
  const folder = inside.split('/').at(-2) ?? ''
  const change: FileChange = {}
  if (into === 'pack' && !packNameProblem(stem)) change.packs = { add: [{ name: stem }] }
  if (folders === 'tag' && folder !== '' && !tagProblem(folder)) change.tags = { add: [folder] }
  const prefixes = entry?.sku_prefixes
  return {
    path: inside,
    filename,
    ...(cleaned ? { name_cleaned: true as const } : {}),
    change,
    ...(on_conflict === 'import' ? {} : { on_conflict }),
    // Where folders name products, those in the archive do too.
    ...(entry?.match_as === undefined ? {} : { match_as: matchText(entry.match_as, inside) }),
    ...(prefixes ? { sku_prefixes: [...skuPrefixes(filename), ...prefixes] } : {}),
  }
}

const matchText = (archive: string, inside: string): string =>
  `${archive.replace(/\.zip$/i, '')} ${inside.replaceAll('/', ' ')}`
