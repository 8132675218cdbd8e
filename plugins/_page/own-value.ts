// Values of plain objects by names from outside. A file, a tag or a field may be called
// `constructor`, `toString` or `__proto__`, which every plain object inherits.

/** The value that the object itself has under this name; undefined: none, or no object. */
export const ownValue = <Value>(
  values: Readonly<Record<string, Value>> | null | undefined,
  name: string | number | null | undefined,
): Value | undefined =>
  values !== null && values !== undefined && Object.hasOwn(values, name ?? '')
    ? values[String(name ?? '')]
    : undefined
