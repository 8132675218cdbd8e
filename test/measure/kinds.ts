// What kind of value a function gave back, as the counters report it.

/** False, nothing else, something with functions, or another value. */
export function kindOf(value: unknown): 'b' | 'n' | 'f' | 'v' {
  if (value === false) return 'b'
  if (typeof value === 'function') return 'f'
  if (typeof value !== 'object' || value === null) return value ? 'v' : 'n'
  if (Array.isArray(value)) return value.length === 0 ? 'n' : 'v'
  if (value instanceof Map || value instanceof Set) return value.size === 0 ? 'n' : 'v'
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return 'f'
  // Getters may do something: they are not read.
  const fields = Object.values(Object.getOwnPropertyDescriptors(value))
  if (fields.length === 0) return 'n'
  return fields.some((field) => field.get || typeof field.value === 'function') ? 'f' : 'v'
}
