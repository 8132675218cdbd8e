// Metrics of the folders where this machine keeps files until they are complete, and of the free
// room on their disks.
import { opendir, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { Gauge } from 'prom-client'
import type { DropEnvironment } from '../core/configuration/drop-settings.ts'
import type { Environment } from '../core/configuration/environment.ts'
import type { Gauges } from '../http/metrics.ts'
import { uploadFolder } from './uploads.ts'

/** The folders may contain thousands of files. */
const WALK_EVERY_MS = 60_000

/** The folders of unfinished files, by the name that metrics show. */
export function stagingFolders(
  environment: Pick<Environment, 'dataDir' | 'uploadDir' | 'storage'> & {
    drop: Pick<DropEnvironment, 'staging'>
  },
): Readonly<Record<string, string>> {
  const { dataDir, storage } = environment
  const disks = Object.entries(storage).flatMap(([name, location]) =>
    location.kind === 'disk' ? [[`${name}_tmp`, path.join(location.folder, 'tmp')]] : [],
  )
  return {
    uploads: uploadFolder(environment),
    drop: environment.drop.staging,
    cloud: path.join(dataDir, 'cloud'),
    ...Object.fromEntries(disks),
  }
}

/** @param folders by name. A folder that does not exist has no series. */
export function stagingMetrics(folders: Readonly<Record<string, string>>): Gauges {
  return (registers) => {
    const gauge = (name: string, help: string) =>
      new Gauge({ registers, name, help, labelNames: ['place'] })
    const bytes = gauge('stevedore_staging_bytes', 'Bytes of unfinished files on this machine')
    const free = gauge('stevedore_disk_free_bytes', 'Free bytes on the disk of a folder')
    let walkedAt = -Infinity
    return async () => {
      if (performance.now() - walkedAt < WALK_EVERY_MS) return
      walkedAt = performance.now()
      const found = []
      for (const [place, folder] of Object.entries(folders)) {
        const room = await statfs(folder).catch(() => null)
        if (room)
          found.push({ place, free: room.bavail * room.bsize, bytes: await bytesIn(folder) })
      }
      // A request meanwhile shows the earlier values.
      for (const gauge of [bytes, free]) gauge.reset()
      for (const { place, ...sizes } of found) {
        free.set({ place }, sizes.free)
        bytes.set({ place }, sizes.bytes)
      }
    }
  }
}

/** Files that disappear in the meantime are not counted. */
async function bytesIn(folder: string): Promise<number> {
  let sum = 0
  try {
    for await (const entry of await opendir(folder, { recursive: true })) {
      if (!entry.isFile()) continue
      const found = await stat(path.join(entry.parentPath, entry.name)).catch(() => null)
      sum += found?.size ?? 0
    }
  } catch {
    // A folder was removed while it was read.
  }
  return sum
}
