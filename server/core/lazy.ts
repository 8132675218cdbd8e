// Objects whose fields are made when they are first read, since most are never read.

export type Makers<T> = { readonly [Name in keyof T]: () => T[Name] }

/** Each field is made once. Spreading the object makes all of them: use `withFields`. */
export function lazy<T extends object>(makers: Makers<T>): T {
  const object = {} as T
  for (const [name, make] of Object.entries<() => unknown>(makers)) {
    let made: { value: unknown } | undefined
    const get = () => (made ??= { value: make() }).value
    Object.defineProperty(object, name, { get, enumerable: true, configurable: true })
  }
  return object
}

/** The fields of both, without reading them. */
export const withFields = <A extends object, B extends object>(first: A, second: B): A & B =>
  Object.defineProperties({}, {
    ...Object.getOwnPropertyDescriptors(first),
    ...Object.getOwnPropertyDescriptors(second),
  } as PropertyDescriptorMap) as A & B

// For values that must be there although the compiler cannot know it: an absent one is a defect of
// this program, which these name where it is met.

/** The value. Throws, with its name, if it is null or undefined. */
export function present<T>(value: T, name: string): NonNullable<T> {
  if (value === null || value === undefined) throw new Error(`${name} is missing`)
  return value
}

/** The first element of a list that is never empty, such as the rows of `returning`. */
export function firstOf<T>(list: readonly T[]): T {
  if (list.length === 0) throw new Error('The list is empty; one element was expected')
  return list[0] as T
}

/** The last element of a list that is never empty. */
export function lastOf<T>(list: readonly T[]): T {
  return firstOf(list.slice(-1))
}

/** The element at an index that is within the list. */
export function elementAt<T>(list: readonly T[], index: number): T {
  if (!(index in list)) throw new RangeError(`The list has no element ${index}`)
  return list[index] as T
}

/** The elements of two lists of the same length, in pairs: such as questions and their answers. */
export function zip<A, B>(list: readonly A[], others: readonly B[]): [A, B][] {
  if (list.length !== others.length)
    throw new Error(`Lists of ${list.length} and ${others.length} elements have no pairs`)
  return list.map((element, at) => [element, elementAt(others, at)])
}
