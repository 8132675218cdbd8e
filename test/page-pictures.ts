// Compares pages that a plugin wrote with their source pages, as images and as text.
import { renderPages, textsOf, type PagePicture } from './documents.ts'

const PICTURE_DPI = 40

export interface Looks {
  pictures: readonly PagePicture[]
  texts: readonly string[]
}

/** The pages as poppler renders and extracts them. */
export const imagesAndTitles = async (
  bytes: Uint8Array,
  range?: [number, number],
): Promise<Looks> => {
  const [pictures, texts] = await Promise.all([
    renderPages(bytes, PICTURE_DPI, range),
    textsOf(bytes),
  ])
  return { pictures, texts: range ? texts.slice(range[0] - 1, range[1]) : texts }
}

/**
 * The differences, one line per page. Empty: none. `shades`: of 255, by which a pixel may differ.
 */
export function differences(source: Looks, made: Looks, shades = 0): string[] {
  if (source.pictures.length !== made.pictures.length)
    return [`${source.pictures.length} pages became ${made.pictures.length}`]
  return source.pictures.flatMap((picture, at) => [
    ...differenceOf(picture, made.pictures[at]!, shades).map((what) => `page ${at + 1}: ${what}`),
    ...(source.texts[at] === made.texts[at] ? [] : [`page ${at + 1}: its text`]),
  ])
}

function differenceOf(a: PagePicture, b: PagePicture, shades: number): string[] {
  if (a.width !== b.width || a.height !== b.height)
    return [`${a.width}×${a.height} became ${b.width}×${b.height}`]
  const differing = differingPixels(a, b, shades).length
  return differing === 0 ? [] : [`${differing} of ${a.grey.length} pixels`]
}

/** The positions of differing pixels, from the upper left. */
export function differingPixels(a: PagePicture, b: PagePicture, shades = 0): number[] {
  const differing: number[] = []
  for (let at = 0; at < a.grey.length; at++)
    if (Math.abs(a.grey[at]! - b.grey[at]!) > shades) differing.push(at)
  return differing
}
