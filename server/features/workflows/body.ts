// The request that would save a workflow as it is: what versions keep and documents say.
import { z } from 'zod'
import { ownValue } from '../../../plugins/contract/index.ts'
import type { WorkflowBody } from './check.ts'
import { workflowBody } from './record.ts'

/** The fields of a value that its schema has, at any depth. */
function fieldsBySchema(schema: z.ZodType, value: unknown): unknown {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodArray && Array.isArray(value))
    return value.map((one) => fieldsBySchema(inner.element as z.ZodType, one))
  if (!(inner instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(inner.shape as Record<string, z.ZodType>).flatMap(([name, field]) => {
      const given = ownValue(value as Record<string, unknown>, name)
      return given === undefined ? [] : [[name, fieldsBySchema(field, given)]]
    }),
  )
}

/** The schema without what makes a field optional. */
export function unwrapped(schema: z.ZodType): z.ZodType {
  const isOuter =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  return isOuter ? unwrapped(schema.unwrap() as z.ZodType) : schema
}

/** The request of a workflow’s record. Its channel is one of the triggers. */
export const bodyOfRecord = (record: object): WorkflowBody => ({
  ...(fieldsBySchema(workflowBody, record) as WorkflowBody),
  channel: null,
})
