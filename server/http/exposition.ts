// Figures as Prometheus reads them: text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats). What stands in labels
// is ours alone: no name of a shop, a file or a person.

export interface Sample {
  labels?: Readonly<Record<string, string>>
  value: number
  /** Behind the figure's name: `_sum`, `_count`, `_bucket`. */
  suffix?: string
}

export interface Figure {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  samples: readonly Sample[]
}

export const exposition = (figures: readonly Figure[]): string =>
  figures
    .map(({ name, help, type, samples }) =>
      [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.map((sample) => lineOf(name, sample)), ''].join(
        '\n',
      ),
    )
    .join('')

function lineOf(name: string, { labels = {}, value, suffix = '' }: Sample): string {
  const named = Object.entries(labels).map(
    ([label, text]) => `${label}="${text.replace(/[\\"\n]/g, (c) => (c === '\n' ? '\\n' : `\\${c}`))}"`,
  )
  return `${name}${suffix}${named.length > 0 ? `{${named.join(',')}}` : ''} ${value}`
}

/** Counts what has the same labels together. */
export function createCounter() {
  const counts = new Map<string, { labels: Record<string, string>; value: number }>()
  return {
    add: (labels: Record<string, string>) => {
      const key = Object.values(labels).join('\n')
      const known = counts.get(key)
      if (known) known.value++
      else counts.set(key, { labels, value: 1 })
    },
    samples: (): Sample[] => [...counts.values()].map(({ labels, value }) => ({ labels, value })),
  }
}

/** How often which durations came, for each value of one label. `bounds`: seconds, ascending. */
export function createHistogram(label: string, bounds: readonly number[]) {
  const series = new Map<string, { buckets: number[]; sum: number; count: number }>()
  return {
    observe: (value: string, seconds: number) => {
      let one = series.get(value)
      if (!one) series.set(value, (one = { buckets: bounds.map(() => 0), sum: 0, count: 0 }))
      one.sum += seconds
      one.count++
      const at = bounds.findIndex((bound) => seconds <= bound)
      if (at >= 0) one.buckets[at]!++
    },
    samples: (): Sample[] =>
      [...series].flatMap(([value, { buckets, sum, count }]) => {
        let below = 0
        const labels = { [label]: value }
        return [
          ...buckets.map((n, at) => ({
            ...{ suffix: '_bucket', labels: { ...labels, le: String(bounds[at]) } },
            value: (below += n),
          })),
          { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
          { suffix: '_sum', labels, value: sum },
          { suffix: '_count', labels, value: count },
        ]
      }),
  }
}
