// The virus scanner of the installation, for plugins.
import type { Readable } from 'node:stream'
import { type AnyText, PortError, say, type VirusScanner } from '../../plugins/contract/index.ts'
import type { ScannerAddress } from '../core/configuration/environment.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { ERRORS } from '../core/errors.ts'
import { createVerifier, StoreError, type Verifier } from '../core/store/store.ts'
import { storeFailure } from './catalog.ts'
import { ScannerError, scanBytes } from './clamd.ts'
import { locateItem, portError, type StoredBytes } from './item-bytes.ts'
import { readOrRepair } from './repair.ts'

/** @param at null: the operator has set up no scanner */
export function createVirusScanner(
  scope: ShopScope,
  { stores, check }: StoredBytes,
  at: ScannerAddress | null,
): VirusScanner {
  return {
    scan: async (source, signal) => {
      if (!at) throw unavailable(NO_SCANNER, false)
      const blob = await locateItem(scope, source)
      const store = stores.get(blob.location)
      if (!store) throw portError('location_not_found')
      const { shop } = scope
      const scan = async () => {
        const verifier = createVerifier({ hash: blob.hash, size: blob.size_bytes })
        // Also of no bytes at all.
        verifier.accepts(Buffer.alloc(0))
        const bytes = compared(await store.read(shop, blob.hash), verifier)
        const found = await scanBytes(at, bytes, signal)
        return verifier.result() === 'whole' ? { found } : null
      }
      try {
        return (await readOrRepair(scan, { shop, ...blob }, check, signal)).found
      } catch (error) {
        if (error instanceof StoreError) throw storeFailure(error)
        if (error instanceof ScannerError) throw unavailable(error.message, error.retryable)
        throw error
      }
    },
  }
}

/** Ends before the first byte that differs from those that were admitted. */
async function* compared(bytes: Readable, verifier: Verifier): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes as AsyncIterable<Uint8Array>) {
    if (!verifier.accepts(piece)) return
    yield piece
  }
}

const NO_SCANNER = say('The operator of this installation has set up no virus scanner')

const unavailable = (detail: AnyText, retryable: boolean) =>
  new PortError('scanner_unavailable', ERRORS.scanner_unavailable.message, retryable, { detail })
