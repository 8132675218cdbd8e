// The graph of one figure by day, with its own scale: beside thousands of downloads, a few orders
// would be a flat line. A table shows the same, for everybody who cannot see it.
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { numberText } from '../../shell/labels/size.ts'
import { dayText } from '../../shell/labels/time.ts'
import { pageLocale } from '../../shell/messages/locale.ts'
import { type Figures } from './calls.ts'
import { FIGURE_NAMES, type FigureName } from './labels.ts'

const COLOURS: Readonly<Record<FigureName, string>> = {
  downloads: '#005bd3',
  orders: '#8051ff',
  deliveries: '#047b5d',
  imported_files: '#8a6116',
  bounced_mails: '#c5280c',
}
const HEIGHT = 150
/** That of the page: a canvas does not inherit it. */
const FONT = `11px ${getComputedStyle(document.body).fontFamily}`

export interface DaysProps {
  days: Figures['days']
  /** The figures that are shown. */
  names: readonly FigureName[]
}

interface ChartProps extends Pick<DaysProps, 'days'> {
  name: FigureName
}

export function Chart({ days, name }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const target = place.current!
    const chart = new UPlot(
      optionsOf(target.clientWidth, { days, name }),
      valuesOf(days, name),
      target,
    )
    const observer = new ResizeObserver(() =>
      chart.setSize({ width: target.clientWidth, height: HEIGHT }),
    )
    observer.observe(target)
    return () => {
      observer.disconnect()
      chart.destroy()
    }
  }, [days, name])
  return <div className="chart" ref={place} aria-hidden="true" />
}

const valuesOf = (days: Figures['days'], name: FigureName): UPlot.AlignedData => [
  days.map(({ day }) => Date.parse(day) / 1000),
  days.map((one) => one[name]),
]

const shortDayAt = (seconds: number) =>
  new Intl.DateTimeFormat(pageLocale(), {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  }).format(new Date(seconds * 1000))

const optionsOf = (width: number, { days, name }: ChartProps): UPlot.Options => ({
  width,
  height: HEIGHT,
  // The days are days in UTC everywhere.
  tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
  legend: { markers: { fill: COLOURS[name], width: 0 } },
  cursor: { drag: { x: false, y: false } },
  scales: { y: { range: (_, __, most) => [0, Math.max(most, 4)] } },
  axes: [
    {
      font: FONT,
      values: (_, ticks) => ticks.map(shortDayAt),
      space: 60,
      grid: { show: false },
    },
    {
      font: FONT,
      values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? numberText(tick) : '')),
    },
  ],
  series: [
    {},
    {
      label: FIGURE_NAMES[name],
      stroke: COLOURS[name],
      width: 2,
      points: { show: false },
      value: (_, value: number | null, __, at) =>
        value === null || at === null ? '' : `${numberText(value)} · ${dayText(days[at]!.day)}`,
    },
  ],
})
