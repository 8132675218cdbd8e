// The graph of the days. A table shows the same, for everybody who cannot see it.
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { numberText } from '../../shell/labels/size.ts'
import { dayText } from '../../shell/labels/time.ts'
import { pageLocale } from '../../shell/messages/locale.ts'
import { t } from '../../shell/messages/t.ts'
import { type Figures } from './calls.ts'
import { FIGURE_NAMES, type FigureName } from './labels.ts'

const COLOURS: Readonly<Record<FigureName, string>> = {
  downloads: '#005bd3',
  orders: '#8051ff',
  deliveries: '#047b5d',
  imported_files: '#8a6116',
  bounced_mails: '#c5280c',
}
const HEIGHT = 240

export interface DaysProps {
  days: Figures['days']
  /** The figures that are shown. */
  names: readonly FigureName[]
}

export function Chart({ days, names }: DaysProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const target = place.current!
    const chart = new UPlot(optionsOf(target.clientWidth, names), valuesOf(days, names), target)
    const observer = new ResizeObserver(() =>
      chart.setSize({ width: target.clientWidth, height: HEIGHT }),
    )
    observer.observe(target)
    return () => {
      observer.disconnect()
      chart.destroy()
    }
  }, [days, names])
  return <div className="chart" ref={place} aria-hidden="true" />
}

const valuesOf = (days: Figures['days'], names: readonly FigureName[]): UPlot.AlignedData => [
  days.map(({ day }) => Date.parse(day) / 1000),
  ...names.map((name) => days.map((one) => one[name])),
]

const dayAt = (seconds: number) => dayText(new Date(seconds * 1000).toISOString().slice(0, 10))

const shortDayAt = (seconds: number) =>
  new Intl.DateTimeFormat(pageLocale(), {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  }).format(new Date(seconds * 1000))

const optionsOf = (width: number, names: readonly FigureName[]): UPlot.Options => ({
  width,
  height: HEIGHT,
  // The days are days in UTC everywhere.
  tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
  cursor: { drag: { x: false, y: false } },
  scales: { y: { range: (_, __, most) => [0, Math.max(most, 4)] } },
  axes: [
    { values: (_, ticks) => ticks.map(shortDayAt), space: 60, grid: { show: false } },
    {
      values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? numberText(tick) : '')),
    },
  ],
  series: [
    { label: t('Day'), value: (_, at) => (at === null ? '' : dayAt(at)) },
    ...names.map((name) => ({
      label: FIGURE_NAMES[name],
      stroke: COLOURS[name],
      width: 2,
      points: { show: false },
      value: (_: UPlot, value: number | null) => (value === null ? '' : numberText(value)),
    })),
  ],
})
