// Names and values side by side, or figures in a row.
import { Fragment, type ReactNode } from 'react'

type Rows = readonly (readonly [name: string, value: ReactNode])[]

export function Facts({ rows }: { rows: Rows }) {
  return (
    <dl className="facts">
      {rows.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  )
}

export function Figures({ rows }: { rows: Rows }) {
  return (
    <dl className="figures">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
