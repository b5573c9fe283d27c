// This file is made by scripts/lists.mjs

export const assets = ['BTC', 'ETH', 'USDT', 'USDC'] as const;
export type Asset = (typeof assets)[number];

export const networks = ['bitcoin', 'ethereum', 'tron'] as const;
export type Network = (typeof networks)[number];

export const voucherCurrencies = ['USD', 'BTC', 'ETH'] as const;
