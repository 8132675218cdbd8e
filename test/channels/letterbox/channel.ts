// A channel that a test adds to the installation: a letter is a text with one address of a file per
// line.
import type { ShopScope } from '../../../server/core/db/for-shop.ts'
import type { Engine } from '../../../server/engine/engine.ts'
import { startImport } from '../../../server/features/imports/start.ts'
import type { ImportChannel } from '../../../server/features/workflows/channel.ts'

export const letterboxChannel: ImportChannel = {
  id: 'letterbox',
  title: 'Letterbox',
  imports: { title: 'Letter', plural: 'Letters' },
}

/** Returns the import's UUID. */
export function openLetter(
  engine: Engine,
  scope: ShopScope,
  letter: string,
  sender: string,
): Promise<string> {
  const addresses = letter.split('\n').filter((line) => line !== '')
  return startImport(engine, scope, letterboxChannel, {
    files: addresses.map((url) => ({
      filename: decodeURIComponent(url.slice(url.lastIndexOf('/') + 1)),
      source: { type: 'url', url },
      on_conflict: 'error',
    })),
    requestedBy: sender,
  })
}
