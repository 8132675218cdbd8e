// The app and the shop as the demo platform knows them.
export interface DemoApp {
  apiKey: string
  apiSecret: string
  shopDomain: string
}

export interface DemoShop {
  domain: string
  name: string
  email: string
}

export const DEMO_SHOP: DemoShop = {
  domain: 'harbour-press.myshopify.com',
  name: 'Harbour Press',
  email: 'owner@harbour-press.example',
}
