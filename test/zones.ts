// Time zones for tests of days.

/** A time zone in which it is another day than in UTC. */
export const zoneOfAnotherDay = (now: Date): string =>
  now.getUTCHours() < 11 ? 'Pacific/Pago_Pago' : 'Pacific/Kiritimati'
