// The props of a form and of its fields.
import { type ComponentType } from 'react'
import { type Alternative } from '../../../shell/client/plugins.ts'
import { type JsonSchema } from '../../../shell/client/workflows.ts'
import { type Problems } from '../../../shell/components/problems.ts'
import { type FormScope } from './scope.ts'

export type Options = Record<string, unknown>

export interface FormProps {
  schema: JsonSchema
  value: Options
  onChange: (value: Options) => void
  /** The path of these options in the body: `steps[2].options`. */
  path: string
  problems: Problems
  /** The field is in a row of a list and must be short. */
  brief?: boolean
  /** The shown options, in this order; absent: all. */
  fields?: readonly string[]
  /** Decisions that replace several of them. */
  alternatives?: readonly Alternative[]
  /** The files that the dialog is about; absent elsewhere. */
  dialog?: FormScope['dialog']
}

export interface FieldProps {
  name: string
  schema: JsonSchema
  required: boolean
  value: unknown
  onChange: (value: unknown) => void
  path: string
  problems: Problems
  brief: boolean
}

/** The form of fields that contain forms. It is a prop because a form imports its fields. */
export interface WithForm {
  form: ComponentType<FormProps>
}
