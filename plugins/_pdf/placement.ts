// Position and size of a mark on a page: a matrix from the mark's coordinates to the page's.
import type { WatermarkOptions } from './tasks.ts'
import type { Mark } from './marks.ts'
import type { Box, Matrix } from './geometry.ts'

/** The margin, as a fraction of the visible part of a page. */
const MARGIN = 0.04
const DIAGONAL = 0.7
const WHOLE_DIAGONAL = 0.85
const DIAGONAL_HEIGHT = 0.25
const CENTER = 0.6
const CORNER_WIDTH = 0.4
const CORNER_HEIGHT = 0.05
/** The size of a picture in a corner. */
const CORNER_PICTURE = 0.2

export function placeMark(
  seen: Box,
  mark: Pick<Mark, 'box' | 'scale'>,
  { position, picture }: Pick<WatermarkOptions, 'position' | 'picture'>,
): Matrix {
  const page = { width: seen.right - seen.left, height: seen.top - seen.bottom }
  const size = { width: mark.box.right - mark.box.left, height: mark.box.top - mark.box.bottom }
  const scale =
    mark.scale === null || mark.scale === undefined
      ? scaleToFit(page, size, position, picture !== undefined)
      : Math.min(mark.scale, largestScale(page, size, position))
  const [width, height] = [size.width * scale, size.height * scale]
  const margin = Math.min(page.width, page.height) * MARGIN
  const middle = { x: seen.left + page.width / 2, y: seen.bottom + page.height / 2 }
  const left = seen.left + margin + width / 2
  const right = seen.right - margin - width / 2
  const bottom = seen.bottom + margin + height / 2
  const top = seen.top - margin - height / 2
  const at = (x: number, y: number, turn = 0) => matrixAround(mark.box, scale, turn, x, y)
  switch (position) {
    case 'center':
      return at(middle.x, middle.y)
    case 'diagonal':
      return at(middle.x, middle.y, Math.atan2(page.height, page.width))
    case 'top-left':
      return at(left, top)
    case 'top-right':
      return at(right, top)
    case 'bottom-left':
      return at(left, bottom)
    case 'bottom-right':
      return at(right, bottom)
  }
}

interface Size {
  width: number
  height: number
}

/**
 * The largest scale at which the whole mark is on the page: a name that is cut off identifies no
 * buyer.
 */
function largestScale(page: Size, mark: Size, position: WatermarkOptions['position']): number {
  const width =
    position === 'diagonal'
      ? Math.hypot(page.width, page.height) * WHOLE_DIAGONAL
      : page.width - 2 * Math.min(page.width, page.height) * MARGIN
  return width / mark.width
}

/** The scale that fills the space of this position. */
function scaleToFit(
  page: Size,
  mark: Size,
  position: WatermarkOptions['position'],
  picture: boolean,
): number {
  const within = (width: number, height: number) =>
    Math.min(width / mark.width, height / mark.height)
  const [shorter, diagonal] = [
    Math.min(page.width, page.height),
    Math.hypot(page.width, page.height),
  ]
  if (position === 'diagonal')
    return within(diagonal * DIAGONAL, shorter * (picture ? CENTER : DIAGONAL_HEIGHT))
  if (position === 'center')
    return within(page.width * CENTER, page.height * (picture ? CENTER : DIAGONAL_HEIGHT))
  if (picture) return within(page.width * CORNER_PICTURE, page.height * CORNER_PICTURE)
  return within(page.width * CORNER_WIDTH, shorter * CORNER_HEIGHT)
}

/** Puts the mark's centre at (x, y), rotated counter-clockwise. */
function matrixAround(box: Box, scale: number, turn: number, x: number, y: number): Matrix {
  const [cos, sin] = [Math.cos(turn) * scale, Math.sin(turn) * scale]
  const [middleX, middleY] = [(box.left + box.right) / 2, (box.bottom + box.top) / 2]
  return [cos, sin, -sin, cos, x - cos * middleX + sin * middleY, y - sin * middleX - cos * middleY]
}
