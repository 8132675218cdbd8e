// Four squares, which Polaris' icons lack: a grid of tiles.
import { type SVGProps } from 'react'

const CORNERS = [3.5, 11]

export const GridIcon = (props: SVGProps<SVGSVGElement>) => (
  <svg viewBox="0 0 20 20" {...props}>
    {CORNERS.flatMap((y) =>
      CORNERS.map((x) => (
        <path
          key={`${x} ${y}`}
          fillRule="evenodd"
          d={`M${x + 1} ${y}h3.5a1 1 0 0 1 1 1v3.5a1 1 0 0 1-1 1h-3.5a1 1 0 0 1-1-1v-3.5a1 1 0 0 1 1-1Zm.5 1.5v2.5h2.5v-2.5h-2.5Z`}
        />
      )),
    )}
  </svg>
)
