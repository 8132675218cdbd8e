// Every zone whose clocks change, with many cron lines, around each change of three years: as many runs as
// local times, each local time once, and one run after a change that skips some.
import { Cron } from 'croner'
import { expect, test } from 'vitest'
import { someOf } from '../../../test/scale.ts'
import { nextRuns } from './times.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const FIRST = Date.UTC(2025, 0, 1)
const LAST = Date.UTC(2028, 0, 1)

/** Reads clocks as a person does: independent of offsets. */
function clockOf(timeZone: string): (moment: number) => number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  return (moment) => {
    const parts = Object.fromEntries(
      format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]),
    )
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts
    return Date.UTC(year, month - 1, day, hour, minute)
  }
}

/** The days on which the clocks of a zone change. */
function changesOf(clock: (moment: number) => number): number[] {
  const days: number[] = []
  let shown = clock(FIRST)
  for (let day = FIRST; day < LAST; day += DAY) {
    const next = clock(day + DAY)
    if (next - shown !== DAY) days.push(day)
    shown = next
  }
  return days
}

/** Looking for the changes of all zones takes longer than the tests: in npm test of every tenth. */
const ZONES = someOf(Intl.supportedValuesOf('timeZone'), (_, at) => at % 10 === 0)
  .map((zone) => ({ zone, clock: clockOf(zone) }))
  .map((one) => ({ ...one, changes: changesOf(one.clock) }))
  .filter(({ changes }) => changes.length > 0)
const MINUTES = ['0', '30', '59', '*/10', '*/7', '15,45', '5-25/5', '0,1,2', '10-50/20', '*/30']
const HOURS = ['0', '1', '2', '3', '23', '*/2', '*/3', '0-5', '1,13', '0-23', '22-23', '1-3/2']
const LINES = MINUTES.flatMap((minute) =>
  HOURS.flatMap((hour) => [`${minute} ${hour} * * *`, `${minute} ${hour} * * 0,6`]),
)

interface Reading {
  moment: number
  local: number
}

/** What the clock shows in each minute from one moment to another. */
function readingsOf(clock: (moment: number) => number, from: number, to: number): Reading[] {
  const readings: Reading[] = []
  for (let moment = from; moment <= to; moment += MINUTE)
    readings.push({ moment, local: clock(moment) })
  return readings
}

/** The runs of a line after a moment, read minute by minute from the clock. */
function expected(line: string, readings: readonly Reading[], from: number): number[] {
  const times = new Cron(line, { timezone: 'UTC', paused: true, mode: '5-part' })
  const locals = readings.map(({ local }) => local)
  const first = Math.min(...locals)
  const last = Math.max(...locals)
  const due: number[] = []
  for (let at = times.nextRun(new Date(first)); at && at.getTime() <= last; at = times.nextRun(at))
    due.push(at.getTime())
  // Each local time runs as soon as the clock shows it or a later one.
  const runs: number[] = []
  let done = 0
  let furthest = first
  for (const { moment, local } of readings) {
    furthest = Math.max(furthest, local)
    const before = done
    while ((due[done] ?? Infinity) <= furthest) done++
    if (done > before && moment > from) runs.push(moment)
  }
  return runs
}

const CASES = ZONES.flatMap(({ zone, clock, changes }, at) =>
  changes.map((day, n) => ({
    zone,
    clock,
    day: new Date(day).toISOString().slice(0, 10),
    // Every line in every third zone, spread over its changes.
    lines: LINES.filter((_, line) => (line + at) % (3 * changes.length) === n),
  })),
)

test.each(someOf(CASES, (_, at) => at % 24 === 0))(
  '$zone around $day',
  ({ zone, clock, day, lines }) => {
    const from = Date.parse(day) - DAY
    const to = from + 4 * DAY
    const readings = readingsOf(clock, from - DAY, to)
    for (const line of someOf(lines, (_, at) => at % 8 === 0)) {
      const found: number[] = []
      for (let run = from; run <= to;) {
        const [next] = nextRuns(line, zone, new Date(run), 1)
        run = next!.getTime()
        if (run <= to) found.push(run)
      }
      expect({ line, runs: found }).toEqual({ line, runs: expected(line, readings, from) })
    }
  },
)
