/** Last of `npm run generate`: the contract's lists that pages go through, which its types alone cannot give. */
import { readFileSync, writeFileSync } from 'node:fs'

const contract = JSON.parse(readFileSync(process.env.OPENAPI ?? '../api/openapi.json', 'utf8'))
const lists = {
  assets: ['Order', 'asset', 'Asset'],
  networks: ['Order', 'network', 'Network'],
  voucherCurrencies: ['VoucherFound', 'currency'],
}

let made = '// This file is made by scripts/lists.mjs\n'
for (const [name, [schema, field, type]] of Object.entries(lists)) {
  const values = contract.components.schemas[schema].properties[field].enum
  made += `\nexport const ${name} = [${values.map((value) => `'${value}'`).join(', ')}] as const;\n`
  if (type) made += `export type ${type} = (typeof ${name})[number];\n`
}
writeFileSync('src/api/lists.gen.ts', made)
