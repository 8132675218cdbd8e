// The files of a remote through rclone.
import type { RemoteFiles } from './remote-files.ts'
import { fetchObjects } from './fetch.ts'
import { listFolders, listOne, listRemoteFiles } from './listing.ts'
import { probeRoot } from './probe.ts'
import type { Remote } from './remote.ts'
import { deleteObject, moveObject, putObject } from './send.ts'

/** @param environment variables of the proxy and its certificates. */
export function rcloneFiles(
  program: string,
  remote: Remote,
  environment: Readonly<Record<string, string>>,
): RemoteFiles {
  const by = (signal: AbortSignal) => ({ environment, signal })
  return {
    approximate: remote.approximate ?? false,
    list: (options) => listRemoteFiles(program, remote, { environment, ...options }),
    stat: (path, signal) => listOne(program, remote, path, by(signal)),
    folders: (path, options) => listFolders(program, remote, path, { environment, ...options }),
    fetch: (paths, options) => fetchObjects(program, remote, paths, { environment, ...options }),
    put: (path, file, signal) => putObject(program, remote, path, file, by(signal)),
    move: (from, to, signal) => moveObject(program, remote, from, to, by(signal)),
    remove: (path, signal) => deleteObject(program, remote, path, by(signal)),
    probe: (signal) => probeRoot(program, remote, by(signal)),
  }
}
