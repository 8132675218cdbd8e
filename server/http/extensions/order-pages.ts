// What extensions need to know of an order. server/orders answers it.

export interface OrderPage {
  /** Null: the platform gave it none; then nothing is shown. */
  confirmation_number: string | null
  /** When the order was placed. */
  ordered_at: Date
  /** `ready`: `url` can be opened. */
  status: 'ready' | 'held' | 'withdrawn' | 'revoked'
  url: string
  files: number
}

export interface OrderPages {
  /**
   * @param shop the shop's internal number.
   * @param order the platform's id, `gid://shopify/Order/1`.
   * @returns null while the order is not known, or entitles its buyer to no file.
   */
  find(shop: number, order: string): Promise<OrderPage | null>
}
