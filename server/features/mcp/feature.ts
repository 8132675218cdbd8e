// What agents use: tools over the Model Context Protocol, and a text about this installation. The tools
// are in read-tools.ts and plan-tools.ts; they call the endpoints of the API.
import { defineFeature } from '../feature.ts'
import { llmsText } from './llms.ts'
import { mcpMount, type McpParts } from './mount.ts'

export const mcpFeature = defineFeature({
  name: 'mcp',
  requests: (parts: McpParts & { ownUrl: string | null }) => [mcpMount(parts), llmsText(parts)],
})
