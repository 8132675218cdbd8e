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
