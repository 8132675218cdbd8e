// The port of parcels, and what an entry says about its parcel.

export interface ParcelReader {
  /** The number of its bytes. Throws `PortError` `file_not_found`. */
  sizeOf(id: string): Promise<number>
}

export interface Parcels extends ParcelReader {
  /** Its bytes. Throws `PortError` `file_not_found`. */
  open(id: string): Promise<Uint8Array>
}

declare module '../contract/context.ts' {
  interface ReadPorts {
    parcels: ParcelReader
  }
  interface WritePorts {
    parcels: Parcels
  }
}

declare module '../contract/item.ts' {
  interface EntrySources {
    /** A parcel, by its bare UUID. */
    parcel: { id: string }
  }
}
