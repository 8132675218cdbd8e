// What a mark is: a drawing, and the objects that it takes in the document of stamps.
import { deflateSync } from 'node:zlib'
import type { WatermarkWanted } from '../../../plugins/contract.ts'
import { outlineOf } from './letters.ts'
import type { Dictionary } from './objects.ts'
import type { Box } from './pages.ts'

export interface Mark {
  box: Box
  /** Points of a measure of the mark's own, where its size is the merchant's wish; null: as large as there is room. */
  scale: number | null
  /** How it is drawn, in PDF's operators. */
  content: string
  objects: Record<string, Stream>
}
export type Stream = { stream: { dict: Dictionary; data: string } }

// The numbers of its objects.
export const MARK = 3
export const MASK = 4
export const reference = (number: number): string => `${number} 0 R`

export function streamOf(dict: Dictionary, data: string | Buffer): Stream {
  const packed = dict['/Filter'] ? Buffer.from(data) : deflateSync(data)
  return { stream: { dict: { '/Filter': '/FlateDecode', ...dict }, data: packed.toString('base64') } }
}

/** In place of an object that there is no need of. */
export const NONE = streamOf({}, '')

const GREY = 0.5

/** Throws `Refusal` `text_not_drawable`. */
export async function textMark({ text = '', font_size }: WatermarkWanted): Promise<Mark> {
  const { path: outline, ...box } = await outlineOf(text)
  const form = { '/Type': '/XObject', '/Subtype': '/Form', '/BBox': [box.left, box.bottom, box.right, box.top] }
  // Filled in one go, so that it is as dense where letters touch.
  const mark = streamOf({ ...form, '/Resources': {} }, `${GREY} g\n${outline}\nf`)
  return {
    box,
    scale: font_size === undefined ? null : font_size / 1000,
    content: '/Mark Do',
    objects: { [`obj:${reference(MARK)}`]: mark, [`obj:${reference(MASK)}`]: NONE },
  }
}
