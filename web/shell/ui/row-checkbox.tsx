// The checkbox of a row: Polaris' own, with its hidden label, as one component. A tick of the page
// renders as many as it has rows.
interface Props {
  /** For screen readers. */
  label: string
  checked: boolean
  onChange: (checked: boolean) => void
}

export const RowCheckbox = ({ label, checked, onChange }: Props) => (
  <label className="Polaris-Choice Polaris-Choice--labelHidden">
    <span className="Polaris-Choice__Control">
      <span className="Polaris-Checkbox">
        <input
          type="checkbox"
          className="Polaris-Checkbox__Input"
          checked={checked}
          onChange={() => undefined}
          onClick={({ currentTarget }) => {
            onChange(currentTarget.checked)
            // Safari does not focus a checkbox that is clicked.
            currentTarget.focus()
          }}
        />
        <span className="Polaris-Checkbox__Backdrop" />
        <span className="Polaris-Checkbox__Icon Polaris-Checkbox--animated">
          <svg viewBox="0 0 16 16" aria-hidden>
            <path
              className={checked ? 'Polaris-Checkbox--checked' : undefined}
              d="M1.5,5.5L3.44655,8.22517C3.72862,8.62007,4.30578,8.64717,4.62362,8.28044L10.5,1.5"
              transform="translate(2 2.980376)"
              opacity="0"
              fill="none"
              stroke="currentColor"
              strokeWidth="2"
              strokeLinecap="round"
              strokeLinejoin="round"
              pathLength="1"
            />
          </svg>
        </span>
      </span>
    </span>
    <span className="Polaris-Choice__Label">{label}</span>
  </label>
)
