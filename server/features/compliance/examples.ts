// Examples of the requests, which the API's document shows and a test sends.
import { IDS, type Examples } from '../../http/example.ts'

export const complianceExamples: Examples = {
  'get /api/customer-data': { status: 200 },
  'get /api/customer-data/{id}': { params: { id: IDS.customer_data }, status: 200 },
  'delete /api/customer-data/{id}': { params: { id: IDS.customer_data }, status: 204 },
}
