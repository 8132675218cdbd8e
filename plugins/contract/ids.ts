// Typed ids (`file_…`, `pack_…`) in options of plugins.

/** The bare UUID of a typed id that its schema has checked. */
export const uuidOf = (id: string): string =>
  id.replace(/^[a-z]+_(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
