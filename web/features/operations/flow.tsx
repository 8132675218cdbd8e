// A progress bar for work of unknown size.
import './flow.css'

export const Flow = ({ label }: { label: string }) => (
  <div className="flow" role="progressbar" aria-label={label}>
    <span />
  </div>
)
