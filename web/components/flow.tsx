// A bar for work that runs and whose size is not known.
import './flow.css'

export const Flow = ({ label }: { label: string }) => (
  <div className="flow" role="progressbar" aria-label={label}>
    <span />
  </div>
)
