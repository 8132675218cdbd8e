// Days of the shop in SQL.

/** SQL: the time zone of the row `shop` of shops. */
export const zoneOf = (shop: string): string => `coalesce(${shop}.settings ->> 'time_zone', 'UTC')`

/** SQL: the time zone of the shop of the statement. */
export const SHOP_ZONE = `(select ${zoneOf('z')} from shops z where z.id = :shop)`

/** SQL: the day of a moment in the time zone of the shop, as `dayAt` gives it. */
export const shopDay = (moment: string): string =>
  `to_char(${moment} at time zone ${SHOP_ZONE}, 'YYYY-MM-DD')`
