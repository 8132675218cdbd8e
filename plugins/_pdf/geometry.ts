// Rectangles and matrices of a page.

export interface Box {
  left: number
  bottom: number
  right: number
  top: number
}

/** A matrix as PDF writes it: [a b c d e f]. */
export type Matrix = readonly [number, number, number, number, number, number]

/** The product of two matrices, which applies first `a`, then `b`. */
export const times = (a: Matrix, b: Matrix): Matrix => [
  a[0] * b[0] + a[1] * b[2],
  a[0] * b[1] + a[1] * b[3],
  a[2] * b[0] + a[3] * b[2],
  a[2] * b[1] + a[3] * b[3],
  a[4] * b[0] + a[5] * b[2] + b[4],
  a[4] * b[1] + a[5] * b[3] + b[5],
]
