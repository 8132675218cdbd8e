// The bytes of files, for plugins: copied from their storage location into a private folder that is
// removed when the work ends, in any case.
import { createReadStream } from 'node:fs'
import path from 'node:path'
import { PortError, type Bytes, type WorkFolder } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { createEncodingDetector, decoderOf, type Encoding } from '../core/encoding.ts'
import { locateFile } from '../files/list.ts'
import { withWorkFolder } from './children/work-folder.ts'
import { copyOut, locateItem, portError, type StoredBytes } from './item-bytes.ts'
import { stageBytes, type StagePlace } from './catalog.ts'

interface Parts extends StoredBytes {
  scope: ShopScope
  /** Where new bytes are stored. */
  place: StagePlace
}

export function createBytesPort(parts: Parts): Bytes {
  const withFolder: Bytes['withFolder'] = (use, signal) =>
    withWorkFolder((folder) => use(workFolder(parts, folder, signal)))
  return {
    sizeOf: async (item) => (await locateItem(parts.scope, item)).size_bytes,
    find: async (fileId) => {
      const found = await locateFile(parts.scope, fileId)
      return found && { filename: found.filename, size_bytes: found.size_bytes }
    },
    withFolder,
    readTexts,
    withFile: (item, use, signal) =>
      withFolder(async (folder) => {
        const name = 'file'
        const size_bytes = await folder.bring(item, name)
        return use({ path: path.join(folder.path, name), size_bytes, folder })
      }, signal),
  }
}

/** Of DOS, as ZIP archives without another statement have them. */
const OTHERWISE = 'ibm850'
/** What no text contains: another encoding was meant. */
const NO_TEXT = /[\u0080-\u009f\ufffd]/

const readTexts: Bytes['readTexts'] = async (given) => {
  const detector = createEncodingDetector()
  for (const text of given) detector.add(Buffer.concat([text, Buffer.from('\n')]))
  const { encoding, sure } = await detector.result()
  const read = (as: Encoding) => given.map((text) => decoderOf(as).decode(text))
  const texts = read(encoding)
  if (!texts.some((text) => NO_TEXT.test(text))) return { texts, encoding, sure }
  return { texts: read(OTHERWISE), encoding: OTHERWISE, sure: false }
}

function workFolder(parts: Parts, folder: string, signal: AbortSignal): WorkFolder {
  const { scope, place } = parts
  return {
    path: folder,
    bring: async (source, name) => {
      signal.throwIfAborted()
      const located = await locateItem(scope, source)
      // Other files would be made of them, or they would be sent elsewhere.
      if (located.quarantine) throw portError('file_quarantined')
      await copyOut(scope, parts, located, inside(folder, name), signal)
      return located.size_bytes
    },
    stage: (name, contentType) =>
      stageBytes(place, createReadStream(inside(folder, name)), contentType, signal),
  }
}

/** Throws if the name leads out of the folder. */
function inside(folder: string, name: string): string {
  if (name !== path.basename(name) || name === '..')
    throw new PortError('plugin_failed', `${name} is not a name in the work folder`, false)
  return path.join(folder, name)
}
