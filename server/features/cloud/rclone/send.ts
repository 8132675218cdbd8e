// Changes at a provider, for two-way connections: one object per run.
import { CloudError } from './errors.ts'
import type { RemoteFile } from './remote-files.ts'
import { listOne, type RunOptions } from './listing.ts'
import { limits, rootPath, type Remote } from './remote.ts'
import { runRclone, type Run } from './run.ts'

const SEND_MS = 24 * 3_600_000

/** Providers whose hashes say nothing compare the bytes with the Content-MD5 of each request. */
const copying = (remote: Remote) => limits({ ...remote, unchecked: remote.doubtfulHash ?? false })

/** Creates or replaces the object with the bytes of `file`. Returns it as the provider has it. */
export async function putObject(
  program: string,
  remote: Remote,
  path: string,
  file: string,
  options: RunOptions,
): Promise<RemoteFile> {
  const command = ['copyto', '--ignore-times', '--low-level-retries', '3', ...copying(remote)]
  await run(program, remote, command, [file, rootPath(remote, path)], options)
  return listOne(program, remote, path, options)
}

/** Renames the object; throws `CloudError` `cloud_file_not_found` if it does not exist any more. */
export async function moveObject(
  program: string,
  remote: Remote,
  from: string,
  to: string,
  options: RunOptions,
): Promise<RemoteFile> {
  const paths = [rootPath(remote, from), rootPath(remote, to)]
  const command = ['moveto', '--low-level-retries', '3', ...copying(remote)]
  await run(program, remote, command, paths, options)
  return listOne(program, remote, to, options)
}

/** Deletes the object. Idempotent: a missing object counts as deleted. */
export async function deleteObject(
  program: string,
  remote: Remote,
  path: string,
  options: RunOptions,
): Promise<void> {
  try {
    await run(program, remote, ['deletefile'], [rootPath(remote, path)], options)
  } catch (error) {
    const gone = error instanceof CloudError && error.code.endsWith('_not_found')
    if (!gone) throw error
  }
}

const run = (
  program: string,
  remote: Remote,
  command: Run['command'],
  paths: Run['paths'],
  options: RunOptions,
) => runRclone(program, { ...options, command, paths, remote: remote.settings, timeoutMs: SEND_MS })
