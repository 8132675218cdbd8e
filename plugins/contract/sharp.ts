// The configuration of sharp in sandbox scripts, for all untrusted images.
import sharp from 'sharp'

/**
 * Limits sharp in this process to one thread, no cache, and the readers of the six formats: SVG and
 * PDF can refer to other files. Call it once.
 */
export function prepareSharp(): void {
  sharp.concurrency(1)
  sharp.cache(false)
  const readers = ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Heif', 'Tiff'].map(
    (name) => `VipsForeignLoad${name}Buffer`,
  )
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: readers })
}
