// A folder of this machine as a provider's files: the sample provider of demo mode.
import { ownValue } from '../../../../plugins/contract/index.ts'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, lstat, mkdir, opendir, readdir, realpath, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { CloudError, type CloudCode } from '../rclone/errors.ts'
import type { FetchResult, RemoteFile, RemoteFiles } from '../rclone/remote-files.ts'

const CODES: Readonly<Record<string, CloudCode>> = {
  ENOENT: 'cloud_file_not_found',
  ENOTDIR: 'cloud_file_not_found',
  EISDIR: 'cloud_file_not_found',
  EACCES: 'cloud_access_denied',
  EPERM: 'cloud_access_denied',
  EROFS: 'cloud_access_denied',
  ENOSPC: 'cloud_quota',
  EDQUOT: 'cloud_quota',
  ENAMETOOLONG: 'cloud_name_unusable',
}

function failureOf(error: unknown, missing: CloudCode = 'cloud_file_not_found'): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error
  const code = ownValue(CODES, (error as NodeJS.ErrnoException).code ?? '') ?? 'cloud_failed'
  const named = code === 'cloud_file_not_found' ? missing : code
  return new CloudError(named, null, { cause: error })
}

const failing =
  (missing?: CloudCode) =>
  (error: unknown): never => {
    throw failureOf(error, missing)
  }

/**
 * The files in a folder of this machine. Symbolic links are left out, and no path reaches a file
 * through one: they could lead out of the folder.
 * @param root an absolute path.
 */
export function folderFiles(root: string): RemoteFiles {
  const stat = async (name: string, signal: AbortSignal): Promise<RemoteFile> => {
    const file = await fileAt(root, name)
    return describe(file, name, signal).catch(failing())
  }
  return {
    approximate: false,
    list: async ({ signal, page, onPage }) => {
      let files: RemoteFile[] = []
      for await (const one of walk(root, '', signal)) {
        files.push(one)
        if (files.length < page) continue
        await onPage(files)
        files = []
      }
      if (files.length > 0) await onPage(files)
    },
    stat,
    folders: async (name, { most }) => {
      const entries = await readdir(path.join(root, name), { withFileTypes: true }).catch(
        failing('cloud_folder_not_found'),
      )
      const names = entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
      return names.sort((a, b) => a.localeCompare(b)).slice(0, most)
    },
    fetch: (paths, { folder, signal }) => fetchFiles(root, paths, folder, signal),
    put: async (name, file, signal) => {
      const target = await parentOf(root, name)
      await copyWhole(file, target).catch(failing())
      return stat(name, signal)
    },
    move: async (from, to, signal) => {
      const source = await fileAt(root, from)
      await rename(source, await parentOf(root, to)).catch(failing())
      return stat(to, signal)
    },
    remove: async (name) => {
      const file = await fileAt(root, name).catch((error: unknown) => {
        if (error instanceof CloudError && error.code === 'cloud_file_not_found') return null
        throw error
      })
      if (file !== null) await rm(file, { force: true }).catch(failing())
    },
    probe: async () => {
      const folder = await opendir(root).catch(failing('cloud_folder_not_found'))
      await folder.close()
    },
  }
}

async function* walk(
  root: string,
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<RemoteFile> {
  const missing = folder === '' ? 'cloud_folder_not_found' : 'cloud_failed'
  const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(
    failing(missing),
  )
  for (const entry of entries) {
    signal.throwIfAborted()
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) yield* walk(root, name, signal)
    else if (entry.isFile()) {
      const found = await describe(path.join(root, name), name, signal).catch((error: unknown) => {
        // The file was deleted or renamed since its folder was read.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw failureOf(error, 'cloud_failed')
      })
      if (found) yield found
    }
  }
}

async function describe(file: string, name: string, signal: AbortSignal): Promise<RemoteFile> {
  const { size, mtime } = await lstat(file)
  const hash = createHash('md5')
  await pipeline(createReadStream(file), hash, { signal })
  return {
    path: name,
    size_bytes: size,
    hash: hash.digest('hex'),
    modified_at: mtime.toISOString(),
  }
}

/** Refuses names that a disk shortens: they would reach another file. */
function within(root: string, name: string): string {
  if (name.split('/').some((part) => /^\.{0,2}$/.test(part)))
    throw new CloudError('cloud_name_unusable')
  return path.join(root, name)
}

/** The absolute path of a file that exists. */
async function fileAt(root: string, name: string): Promise<string> {
  const real = await realpath(within(root, name)).catch(failing())
  if (real !== path.join(await realpath(root), name)) throw new CloudError('cloud_name_unusable')
  if (!(await lstat(real)).isFile()) throw new CloudError('cloud_file_not_found')
  return real
}

/** The absolute path of a file that may be created, with its folders. */
async function parentOf(root: string, name: string): Promise<string> {
  const file = within(root, name)
  await mkdir(path.dirname(file), { recursive: true }).catch(failing())
  const real = await realpath(path.dirname(file))
  if (path.join(real, path.basename(file)) !== path.join(await realpath(root), name))
    throw new CloudError('cloud_name_unusable')
  return file
}

/** Copies a file so that a reader sees the previous file or the complete new one. */
async function copyWhole(from: string, to: string): Promise<void> {
  const partial = `${to}.${crypto.randomUUID()}.partial`
  try {
    await copyFile(from, partial)
    await rename(partial, to)
  } finally {
    await rm(partial, { force: true })
  }
}

async function* fetchFiles(
  root: string,
  paths: readonly string[],
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<FetchResult> {
  for (const [at, name] of paths.entries()) {
    signal.throwIfAborted()
    const file = path.join(folder, `${at}`)
    try {
      await copyFile(await fileAt(root, name), file).catch(failing())
      yield { path: name, file }
    } catch (error) {
      if (!(error instanceof CloudError)) throw error
      yield { path: name, error }
    }
  }
}
