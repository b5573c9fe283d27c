export const details: Record<string, { modules: string[]; view?: string }>
