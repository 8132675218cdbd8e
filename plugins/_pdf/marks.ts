// A mark: a drawing, and the objects that it adds to the document.
import { deflateSync } from 'node:zlib'
import type { WatermarkOptions } from './tasks.ts'
import { outlineOf } from './text-outline.ts'
import type { Dictionary } from './objects.ts'
import type { Box } from './geometry.ts'

export interface Mark {
  box: Box
  /**
   * The points of each unit of the mark, if the merchant chose its size; null: as large as
   * possible.
   */
  scale: number | null
  /** Its drawing operators. */
  content: string
  /** The form or picture that `content` draws as `/Mark`. */
  drawing: Stream
  /** A picture's soft mask. */
  mask: Stream | null
}

export type Stream = { stream: { dict: Dictionary; data: string } }

export function streamOf(dict: Dictionary, data: string | Buffer): Stream {
  const packed = dict['/Filter'] ? Buffer.from(data) : deflateSync(data)
  return {
    stream: { dict: { '/Filter': '/FlateDecode', ...dict }, data: packed.toString('base64') },
  }
}

const GREY = 0.5

/** A text as a mark. Throws `Refusal` `glyph_missing`. */
export async function textMark({ text = '', font_size }: WatermarkOptions): Promise<Mark> {
  const { path: outline, ...box } = await outlineOf(text)
  const form = {
    '/Type': '/XObject',
    '/Subtype': '/Form',
    '/BBox': [box.left, box.bottom, box.right, box.top],
  }
  // The text is filled as one path, so that overlapping letters are not denser.
  const mark = streamOf({ ...form, '/Resources': {} }, `${GREY} g\n${outline}\nf`)
  return {
    box,
    scale: font_size === undefined ? null : font_size / 1000,
    content: '/Mark Do',
    drawing: mark,
    mask: null,
  }
}
