// How scripts in a sandbox use sharp: the one configuration for every picture from a stranger.
import sharp from 'sharp'

/**
 * Once in a process: one thread, nothing kept, and no reader but those of the six formats (SVG and
 * PDF can name other files).
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
