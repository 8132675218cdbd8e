// Each reader of stored bytes compares them with their hash on the first read of a day, and restores
// damaged ones. Each file that calls a storage location to read is listed here, with how it does.
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const READERS: Readonly<Record<string, string>> = {
  'server/files/whole-blobs.ts': 'the comparing reader of the page, the API and the drop server',
  'server/files/blob-checks.ts': 'compares the whole, and restores it',
  'server/files/sha256-sums.ts':
    'computes both hashes of the whole, and stores no sum of damaged bytes',
  'server/features/downloads/bytes.ts':
    'DailyChecks and createVerifier in serve.ts and archive-reading.ts compare',
  'server/features/downloads/delegates.ts':
    'an address of a bucket: DailyChecks compares on the first request of a day',
  'server/features/drop/vfs.ts': 'after WholeBlobs.ensure',
  'server/features/drop/transfer.ts': 'after WholeBlobs.ensure',
  'server/features/drop/import/manifests.ts': 'after WholeBlobs.ensure',
  'server/features/drop/port.ts': 'after isWhole in readOrRepair',
  'server/ports/item-bytes.ts': 'compares the copy that a plugin gets, in readOrRepair',
  'server/ports/stored.ts': 'compares the hash that the other location computed, in readOrRepair',
  'server/ports/virus-scanner.ts': 'compares the whole with createVerifier, in readOrRepair',
  'server/ports/found-type.ts': 'the end of bytes that were written or compared just before',
  'server/startup/backup.ts': 'compares the hash that the backup computed',
  'server/engine/trial.ts': 'a picture of the scratch folder, which the trial has just written',
}

/** A read of a storage location: its first parameter is the shop. */
const READ =
  /(?:\.(?:read|readWhole|copyOut|signedAddress)|\bstore\.open(?:\?\.)?)\(\s*(?:[\w.]+\.)?shop,/

test('nobody reads stored bytes without comparing them', () => {
  const found = globSync(['server/**/*.ts', 'plugins/**/*.ts']).filter(
    (file) =>
      !/\.(?:test|soak)\.ts$|^server\/core\/store\//.test(file) &&
      READ.test(readFileSync(file, 'utf8')),
  )
  expect(found.toSorted()).toEqual(Object.keys(READERS).toSorted())
})
