// Where a watermark appears on a page, as the server places it (plugins/_pdf/watermark.ts); for the
// picture in the settings, in points from the top left.
import { type ShopSettings } from '../../shell/client/types.ts'

type Watermark = NonNullable<ShopSettings['watermark']>
type Position = Watermark['position']

/** A4. */
export const PAGE = { width: 595, height: 842 } as const
const SHORTER = PAGE.width
const DIAGONAL = Math.hypot(PAGE.width, PAGE.height)
const MARGIN = SHORTER * 0.04
/** The usual width of a letter, as a part of its height. */
const LETTER = 0.55

export interface PlacedMark {
  /** The middle of the mark. */
  x: number
  y: number
  width: number
  height: number
  /** Degrees, clockwise. */
  turn: number
}

/** @param ratio the width of the mark divided by its height */
export function placeMark(
  mark: Partial<Pick<Watermark, 'position' | 'picture' | 'font_size'>>,
  ratio: number,
): PlacedMark {
  const { position = 'diagonal', picture, font_size } = mark
  const room = roomFor(position, picture !== undefined)
  const fitting = Math.min(room.width, room.height * ratio)
  const chosen =
    picture === undefined && typeof font_size === 'number' && font_size > 0
      ? font_size * ratio
      : fitting
  const most = position === 'diagonal' ? DIAGONAL * 0.85 : PAGE.width - 2 * MARGIN
  const width = Math.min(chosen, most)
  const height = width / ratio
  const turn = position === 'diagonal' ? (-Math.atan2(PAGE.height, PAGE.width) * 180) / Math.PI : 0
  return { ...middleOf(position, width, height), width, height, turn }
}

function roomFor(position: Position, picture: boolean): { width: number; height: number } {
  if (position === 'diagonal')
    return { width: DIAGONAL * 0.7, height: SHORTER * (picture ? 0.6 : 0.25) }
  if (position === 'center')
    return { width: PAGE.width * 0.6, height: PAGE.height * (picture ? 0.6 : 0.25) }
  return picture
    ? { width: PAGE.width * 0.2, height: PAGE.height * 0.2 }
    : { width: PAGE.width * 0.4, height: SHORTER * 0.05 }
}

function middleOf(position: Position, width: number, height: number) {
  if (position === 'diagonal' || position === 'center')
    return { x: PAGE.width / 2, y: PAGE.height / 2 }
  const x = MARGIN + width / 2
  const y = MARGIN + height / 2
  return {
    x: position.endsWith('left') ? x : PAGE.width - x,
    y: position.startsWith('top') ? y : PAGE.height - y,
  }
}

/** About how wide a text is, divided by the height of its line. */
export const ratioOf = (text: string): number => Math.max([...text].length, 1) * LETTER
